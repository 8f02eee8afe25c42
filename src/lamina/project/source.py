"""Tables lamina reads but does not manage."""

from collections.abc import Callable
from typing import Literal

from lamina.project.model import SettingPlaces
from lamina.values.names import ColumnName, SourceName
from lamina.values.schema import Column, Schema
from lamina.values.value import Value

SourceType = Literal["files", "iceberg"]
FormatName = Literal["parquet", "csv", "json", "orc", "avro"]


class SourceTable(Value, frozen=True, omit_defaults=True):
    """One table of a source; `location` is a folder for files, `namespace.table` for Iceberg."""

    name: SourceName
    type: SourceType
    location: str
    format: FormatName = "parquet"
    columns: tuple[Column, ...] = ()  # declared; empty: read from footers or table metadata
    is_inferred: bool = False  # the columns were read from the data and follow it
    options: dict[str, str] = {}  # reader options, such as `header` of CSV
    time_column: ColumnName | None = None
    description: str | None = None
    places: SettingPlaces | None = None


SourceSchema = Callable[[SourceTable], Schema | None]  # the columns of a source that declares none
