"""The types that files are read with: one for each column of a source, whichever of its files are read."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

from lamina.project.source import SourceTable
from lamina.values.names import ColumnName
from lamina.values.schema import UNKNOWN
from lamina.warehouse.failure import SourceUnreadable, WarehouseFailure
from lamina.warehouse.files.file_schema import files_schema, misfit, outgrown
from lamina.warehouse.files.formats import format_of
from lamina.warehouse.files.manifest import FileEntry, list_files
from lamina.warehouse.plain_sentence import plain_sentence
from lamina.warehouse.schemas import ConflictingSchema, KnownSchema, UnknownSchema
from lamina.warehouse.sources.exact_paths import exact_path
from lamina.warehouse.sql import ddl

if TYPE_CHECKING:
    from pyspark.sql import DataFrameReader, SparkSession
    from pyspark.sql.types import StructField


class FilesDisagree(WarehouseFailure):
    """Two files of one source give one column types that do not fit one type, such as int and string.

    Why: the columns are taken from the files; those that fit are read as the widest, others cannot be read. An ORC file
    whose type does not fit into a declared one is refused as well: Spark would give null for its values.
    Fix: write one of the named files again with the other's type, or declare `columns` for the source's table.
    """

    code = "L631"

    def __init__(self, source: str, conflict: ConflictingSchema) -> None:
        super().__init__(
            f"the files of source `{source}` do not fit together: {conflict.reason}",
            kind="data_rejected",
            hint=conflict.hint,
        )


class ColumnUnreadable(WarehouseFailure):
    """A file has a column of a type that Spark cannot read, such as a timestamp in nanoseconds.

    Why: the columns are taken from the files, and Spark refuses a file with such a column as a whole.
    Fix: write the file again with another type, or declare `columns` for the source's table without that column.
    """

    code = "L634"

    def __init__(self, source: str, column: str, file: str, detail: str) -> None:
        super().__init__(
            f"column `{column}` of `{file}` in source `{source}` has a type that Spark cannot read: {detail}",
            kind="data_rejected",
            hint="write the file again with another type, or declare `columns` for the table without this one",
        )


class ColumnsCameSince(WarehouseFailure):
    """A file that came after the project was compiled has a column, or a type, that the compiled project lacks.

    Why: the columns are taken from the files; read without that column, its values would be missing for good.
    Fix: run again: the project is compiled with the files as they are then.
    """

    code = "L637"

    def __init__(self, source: str, column: str, file: str) -> None:
        super().__init__(
            f"column `{column}` of `{file}` in source `{source}` came after the project was compiled",
            kind="conflict",
            hint="run again",
        )


def require_compiled(source: SourceTable, root: Path, entries: tuple[FileEntry, ...]) -> None:
    """Raise if files have columns that were not known when the project was compiled."""
    if source.is_inferred and source.columns and (found := outgrown(source, root, entries)) is not None:
        column, file = found
        raise ColumnsCameSince(source.name, column.name, file)


def require_one_schema(source: SourceTable, root: Path) -> KnownSchema | None:
    """Return the columns of a source of files, None if only Spark knows; raise if files do not fit together."""
    is_null_if_misfit = format_of(source).is_null_if_misfit
    if source.columns and not source.is_inferred:
        if is_null_if_misfit:
            conflict = misfit(source, root, list_files(source, root / source.location))
            if conflict is not None:
                raise FilesDisagree(source.name, conflict)
        return KnownSchema(columns=source.columns)
    # Spark refuses a file that came since the project was compiled and does not fit, unless it makes nulls of that.
    if source.columns and not is_null_if_misfit and all(column.type != UNKNOWN for column in source.columns):
        return KnownSchema(columns=source.columns)
    answer = files_schema(source, root)
    match answer:
        case ConflictingSchema():
            raise FilesDisagree(source.name, answer)
        case UnknownSchema() if is_null_if_misfit and answer.file:
            # Spark would take the types of one of the files, and give null for what does not fit into them.
            raise SourceUnreadable(source.name, answer.file, answer.reason)
        case KnownSchema():
            return answer
    return None


def typed_reader(
    session: "SparkSession", source: SourceTable, known: KnownSchema | None, *, options: dict[str, str], location: Path
) -> "DataFrameReader":
    """Return a reader that gives each column the type that all files fit into; Spark names what we have no name for."""
    from pyspark.sql.types import DataType, StructType

    reader = session.read.format(source.format).options(**options)
    if known is None or not known.columns:
        return reader
    named = tuple(column for column in known.columns if column.type != UNKNOWN)
    types = cast(StructType, DataType.fromDDL(ddl(named))) if named else StructType()
    fields = {field.name: field for field in types}
    for column in known.columns:
        if column not in named:
            fields[column.name] = _spark_field(session, source, column.name, known, location)
    return reader.schema(StructType([fields[column.name] for column in known.columns]))


def _spark_field(
    session: "SparkSession", source: SourceTable, column: ColumnName, known: KnownSchema, location: Path
) -> "StructField":
    """Ask Spark for the type of a column in one file."""
    from pyspark.errors import PySparkException

    file = known.unnamed[column]
    path = location if file == "." else location / file
    try:
        return session.read.format(source.format).options(**source.options).load(exact_path(path)).schema[column]
    except PySparkException as error:
        detail = plain_sentence(str(error).splitlines()[0]) if str(error).strip() else type(error).__name__
        raise ColumnUnreadable(source.name, column, file, detail) from error
