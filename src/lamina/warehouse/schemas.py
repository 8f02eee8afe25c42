"""The columns of source tables without a JVM: declared, read from the heads of files, or from Iceberg metadata."""

from collections.abc import Mapping
from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values.names import TableName
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.files.file_schema import TYPED, KnownSchema, SchemaAnswer, UnknownSchema, files_schema


def source_schema(source: SourceTable, root: Path, *, pointers: Mapping[TableName, str]) -> SchemaAnswer:
    """Return the columns of a source table; `pointers` tells where each Iceberg table's metadata is."""
    if source.columns:
        return KnownSchema(columns=source.columns)
    if source.type == "iceberg":
        return _iceberg_schema(source, pointers)
    if source.format not in TYPED:
        return UnknownSchema(
            reason=f"{source.format} files do not say the types of their columns",
            hint=f"declare `columns` for `{source.name}`",
        )
    return files_schema(source, root)


def _iceberg_schema(source: SourceTable, pointers: Mapping[TableName, str]) -> SchemaAnswer:
    from lamina.warehouse.iceberg.metadata import read_metadata

    pointer = pointers.get(TableName(source.location))
    if pointer is None:
        return UnknownSchema(
            reason=f"the catalog has no table `{source.location}`",
            hint="create the table, or change the source's name or `namespace`",
        )
    try:
        return KnownSchema(columns=read_metadata(pointer).columns)
    except WarehouseFailure as error:
        return UnknownSchema(reason=error.message, hint=error.hint or f"declare `columns` for `{source.name}`")
