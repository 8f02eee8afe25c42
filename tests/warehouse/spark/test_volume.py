"""How much a run will read: everything before the first build, then only what changed."""

from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values.names import SourceName, TableName
from lamina.warehouse.files.detect_files import file_head
from lamina.warehouse.iceberg.tables import Tables
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.sources.port import Lake
from lamina.warehouse.spark.volume import Volume

SOURCE = SourceTable(name=SourceName("raw.orders"), type="files", location="raw", format="csv")


def test_first_build_reads_all_and_a_later_one_what_changed(tmp_path: Path) -> None:
    settings = WarehouseSettings(
        root=str(tmp_path), database=f"{tmp_path}/db", warehouse=f"{tmp_path}/w", logs=f"{tmp_path}/logs"
    )
    tables = Tables(settings)
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "a.csv").write_text("x" * 100)
    before = file_head(settings, SOURCE, columns=()).position
    assert before is not None
    volume = Volume(Lake(settings, tables))
    volume.see(SOURCE, before)

    assert volume.estimate((TableName("a.b"),)) == 100

    (tmp_path / "raw" / "b.csv").write_text("x" * 7)
    volume.see(SOURCE, file_head(settings, SOURCE, columns=()).position)
    volume.change(SOURCE, before)
    assert volume.estimate((TableName("a.b"),)) == 107
    tables.close()
