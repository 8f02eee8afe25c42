"""Failures provoked on real Spark are reported by kind, in one sentence."""

import shutil
import threading
import time
from collections import namedtuple
from contextlib import closing
from pathlib import Path

import pytest
from tests.spark.lake import Lake

from lamina.project.strategy import Incremental
from lamina.values.names import CommitId
from lamina.warehouse.catalog.jdbc import JdbcCatalog
from lamina.warehouse.catalog.sqlite import CatalogFile
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.spark.errors import failure_kind

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT 1 / 0 AS x FROM range(1)", "data_rejected"),
        ("SELECT CAST(concat('x', id) AS INT) AS x FROM range(2)", "data_rejected"),
        ("SELECT CAST(raise_error('no') AS INT) AS x FROM range(1)", "data_rejected"),
        ("SELECT array(1)[id + 5] AS x FROM range(1)", "data_rejected"),
        ("SELECT CAST(id AS TINYINT) AS x FROM range(1000)", "data_rejected"),
        ("SELECT no_such_column AS x FROM range(1)", "query_rejected"),
        ("SELECT no_such_function(id) AS x FROM range(1)", "query_rejected"),
        ("SELECT 1 AS x, 2 AS X", "query_rejected"),
        ("SELECT NULL AS x", "query_rejected"),
    ],
)
def test_query_that_fails_is_reported_by_kind(lake: Lake, text: str, kind: str) -> None:
    lake.build(lake.add_model("f.t", "SELECT 1 AS x"))
    broken = lake.add_model("f.t", text)

    with pytest.raises(WarehouseFailure) as caught:
        lake.stage(broken)

    assert caught.value.kind == kind, caught.value
    assert caught.value.message.startswith("`f.t`: ") or "`f.t`" in caught.value.message
    assert "\n" not in caught.value.message
    assert not any(code in caught.value.message for code in ("SQLSTATE", "] ", "org.apache", "java."))
    assert caught.value.hint
    assert lake.sql("SELECT * FROM lake.f.t") == [(1,)]


def test_a_row_that_cannot_be_read_is_reported_with_its_file(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id bigint", format="csv")
    lake.write_csv("raw/orders/a.csv", "id\n1\n")
    lake.write_csv("raw/orders/bad.csv", "id\nabc\n")

    with pytest.raises(WarehouseFailure) as caught:
        lake.stage(lake.add_model("f.t", "SELECT id FROM raw.orders", inputs=("raw.orders",)))

    assert caught.value.kind == "data_rejected"
    place = f"in `{lake.folder}/raw/orders/bad.csv`"
    assert caught.value.message.endswith(f'"abc" is not a number of the declared type, {place}')


def test_cancelled_work_is_interrupted(lake: Lake) -> None:
    model = lake.add_model("f.t", "SELECT count_if(id % 7 = 1) AS n FROM range(1000000000000)")
    caught: list[WarehouseFailure] = []

    def work() -> None:
        try:
            lake.stage(model)
        except WarehouseFailure as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    deadline = time.monotonic() + 60
    while thread.is_alive() and time.monotonic() < deadline:
        lake.warehouse.cancel()
        thread.join(timeout=0.5)

    assert [error.kind for error in caught] == ["interrupted"]


def test_full_disk_and_read_only_folder_are_resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert failure_kind(OSError(), folder=tmp_path) == "transient"
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1, 1, 0))

    assert failure_kind(OSError(), folder=tmp_path) == "resources"


def test_stage_that_is_discarded_leaves_the_table_alone(lake: Lake) -> None:
    lake.build(lake.add_model("f.t", "SELECT 1 AS x", strategy=Incremental()))
    staged = lake.stage(lake.graph.models[0], "append")

    lake.warehouse.discard(staged.batch.commit)
    lake.warehouse.discard(CommitId("never-staged"))

    with closing(CatalogFile(Path(lake.settings.database))) as file, file.reading() as transaction:
        assert JdbcCatalog(lake.settings.catalog).stages(transaction) == ()
    assert lake.sql("SELECT * FROM lake.f.t") == [(1,)]


def test_damaged_metadata_file_is_a_fault_of_its_table_alone(lake: Lake) -> None:
    models = [lake.add_model(name, "SELECT 1 AS x") for name in ("f.t", "f.u")]
    moves = [lake.publish(lake.stage(model)) for model in models]
    Path(moves[0].pointer.removeprefix("file:")).write_text("{")

    heads = lake.warehouse.heads([model.target for model in models])
    assert heads[models[0].target].fault == f"`{moves[0].pointer.removeprefix('file:')}` cannot be read"
    assert heads[models[1].target].fault is None
