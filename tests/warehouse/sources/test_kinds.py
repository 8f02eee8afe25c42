"""Every kind of source that a project can name is read by the project and known to the warehouse."""

from pathlib import Path
from typing import get_args

import pytest

from lamina.project.source import FormatName, SourceTable, SourceType
from lamina.project.source_file import read_source_file
from lamina.values.names import SourceName
from lamina.values.result import Detector
from lamina.warehouse.files.formats import FORMATS
from lamina.warehouse.sources.kinds import KINDS, catalog_tables, detector_of, kind_of

TYPES: tuple[SourceType, ...] = get_args(SourceType)


def test_every_kind_has_a_file() -> None:
    assert tuple(KINDS) == TYPES
    folder = Path(str(__file__)).parents[3] / "src" / "lamina" / "warehouse" / "sources"
    assert [name for name in TYPES if not (folder / f"{name}.py").is_file()] == []


def test_every_format_is_known() -> None:
    assert tuple(FORMATS) == get_args(FormatName)


@pytest.mark.parametrize("type", TYPES)
def test_every_kind_can_be_declared(type: SourceType, tmp_path: Path) -> None:
    url = 'url = "jdbc:postgresql://db/shop"\n' if type == "jdbc" else ""
    text = f'[source.raw]\ntype = "{type}"\n{url}[source.raw.tables]\norders = "here.orders"\n'
    found = read_source_file("sources/raw.toml", text, root=str(tmp_path), variables={})
    assert not found.diagnostics
    assert [(item.name, item.type, item.location) for item in found.tables] == [("raw.orders", type, "here.orders")]


def test_queries_read_tables_of_the_catalog_by_their_names_and_others_by_views() -> None:
    sources = [
        SourceTable(name=SourceName("raw.orders"), type="iceberg", location="shop.orders"),
        SourceTable(name=SourceName("raw.people"), type="files", location="data/people"),
    ]
    assert catalog_tables(sources) == {"raw.orders": "shop.orders"}


@pytest.mark.parametrize("type", TYPES)
def test_every_kind_says_how_its_changes_are_found(type: SourceType) -> None:
    source = SourceTable(name=SourceName("raw.orders"), type=type, location="here.orders")
    assert kind_of(source).detector(source) in get_args(Detector)


def test_a_source_is_looked_at_by_its_kind_unless_every_run_reads_it_again() -> None:
    table = SourceTable(name=SourceName("raw.orders"), type="files", location="raw")
    assert detector_of(table) == "files"
    assert detector_of(table.replace(detect="checksum")) == "files"
    assert detector_of(table.replace(type="iceberg", refine="columns")) == "version"
    assert detector_of(table.replace(detect="always")) == "always"
