"""What can be known of a source's columns without a JVM."""

from lamina.values.names import ColumnName
from lamina.values.schema import DataType, Schema
from lamina.values.value import Value


class KnownSchema(Value, frozen=True):
    """The table's columns."""

    columns: Schema
    unnamed: dict[ColumnName, str] = {}  # columns whose type only Spark knows, each with a file that has it


class UnknownSchema(Value, frozen=True):
    """The columns are not known before Spark reads the table."""

    reason: str
    hint: str
    file: str = ""  # that could not be read


class ConflictingSchema(Value, frozen=True):
    """Two files of one table give one column types that no one type can hold, so they cannot be read together."""

    column: str
    types: tuple[DataType, DataType]
    files: tuple[str, str]  # the first is empty where the type is a declared one

    @property
    def reason(self) -> str:
        """Say which files disagree."""
        (first, second), (one, other) = self.types, self.files
        before = f"is {first} in `{one}`" if one else f"is declared as {first}"
        return f"column `{self.column}` {before} and {second} in `{other}`"

    @property
    def hint(self) -> str:
        """Say what to do."""
        if not self.files[0]:
            return "declare a type that holds the values of all files, or write the file again"
        return "write the files again with one type, or declare `columns` for the table"


SchemaAnswer = KnownSchema | UnknownSchema | ConflictingSchema
