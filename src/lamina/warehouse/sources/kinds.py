"""The table of the kinds of sources."""

from collections.abc import Callable, Iterable
from pathlib import Path

from lamina.project.source import SourceTable, SourceType
from lamina.values.names import TableName
from lamina.values.result import Detector
from lamina.warehouse.schemas import KnownSchema, SchemaAnswer
from lamina.warehouse.sources.port import Pointers, SourceKind


def _files() -> SourceKind:
    from lamina.warehouse.sources import files

    return files


def _iceberg() -> SourceKind:
    from lamina.warehouse.sources import iceberg

    return iceberg


def _jdbc() -> SourceKind:
    from lamina.warehouse.sources import jdbc

    return jdbc


# Each is imported when it is asked for: a project that is compiled loads only what its own sources need.
KINDS: dict[SourceType, Callable[[], SourceKind]] = {
    "files": _files,
    "iceberg": _iceberg,
    "jdbc": _jdbc,
}


def kind_of(source: SourceTable) -> SourceKind:
    """Return what is known of the kind that a source is of."""
    return KINDS[source.type]()


def detector_of(source: SourceTable) -> Detector:
    """Return how a source is looked at: rows are compared only where files or versions are others than before."""
    return "always" if source.detect == "always" else kind_of(source).detector(source)


def source_schema(source: SourceTable, root: Path, *, pointers: Pointers) -> SchemaAnswer:
    """Return the columns of a source without a JVM: as declared, or as its kind finds them."""
    return KnownSchema(columns=source.columns) if source.columns else kind_of(source).schema(source, root, pointers)


def catalog_tables(sources: Iterable[SourceTable]) -> dict[TableName, TableName]:
    """Return the tables of the catalog that sources are, by the names of those that are one."""
    tables = ((TableName(source.name), kind_of(source).table_of(source)) for source in sources)
    return {name: table for name, table in tables if table is not None}
