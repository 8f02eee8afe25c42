"""Tables lamina reads but does not manage."""

from collections.abc import Callable
from typing import Literal

from lamina.project.limits import FreshnessSettings
from lamina.project.model import SettingPlaces
from lamina.values.names import ColumnName, SourceName
from lamina.values.schema import Column, Schema
from lamina.values.value import Value

SourceType = Literal["files", "iceberg", "jdbc"]
DetectName = Literal["auto", "checksum", "always"]  # how changes of a table are found; `auto`: as its kind allows
# Kinds of sources whose rows cannot be read as they were: an append reads them by time unless stated otherwise.
VERSIONLESS: frozenset[SourceType] = frozenset()
FormatName = Literal["parquet", "csv", "json", "orc", "avro"]
# The types of columns whose times are seen in files without Spark, as the readers of files know them.
TIMES_SEEN: dict[FormatName, frozenset[str]] = {
    "parquet": frozenset({"date", "timestamp", "timestamp_ntz"}),
    "csv": frozenset({"date", "timestamp"}),
    "json": frozenset({"date", "timestamp"}),
    "orc": frozenset(),
    "avro": frozenset(),
}


KNOWN_DATABASES = ("postgresql",)  # as an address names them


class Connection(Value, frozen=True, omit_defaults=True):
    """How a database is reached; the password itself is never part of it."""

    url: str
    user: str | None = None
    password: str | None = None  # the variable that holds it; empty where a file does not name a variable

    @property
    def database(self) -> str | None:
        """Return which kind of database it is, if it is a known one."""
        return next((word for word in KNOWN_DATABASES if self.url.startswith(f"jdbc:{word}:")), None)


class SourceTable(Value, frozen=True, omit_defaults=True):
    """One table of a source; `location` is a folder for files, `namespace.table` for Iceberg and databases."""

    name: SourceName
    type: SourceType
    location: str
    format: FormatName = "parquet"
    columns: tuple[Column, ...] = ()  # declared; empty: read from footers or table metadata
    is_inferred: bool = False  # the columns were read from the data and follow it
    options: dict[str, str] = {}  # reader options, such as `header` of CSV
    time_column: ColumnName | None = None
    detect: DetectName = "auto"
    checksum_by: tuple[ColumnName, ...] = ()  # what rows are compared by, with `detect = "checksum"`
    refine: Literal["columns"] | None = None  # what is touched is compared by the columns that readers read
    load_time: ColumnName | None = None  # grows with every row that comes: the watermark of a source without versions
    safety_lag: str | None = None  # "5m": rows with a younger load time are left for a later run
    connection: Connection | None = None  # of a database
    partition_column: ColumnName | None = None  # by which the rows of a database table are read in parallel
    num_partitions: int | None = None
    description: str | None = None
    freshness: FreshnessSettings | None = None
    places: SettingPlaces | None = None

    @property
    def is_table(self) -> bool:
        """Return whether it is a table of the catalog, which any program finds by its name."""
        return self.type == "iceberg"

    @property
    def in_words(self) -> str:
        """Return what it is to someone who looks for its rows."""
        return {"files": f"{self.format} files", "iceberg": "a table of the catalog"}.get(
            self.type, "a table of a database"
        )

    @property
    def types_seen(self) -> frozenset[str]:
        """Return the types of columns whose times its files say without Spark."""
        return TIMES_SEEN[self.format] if self.type == "files" else frozenset()

    @property
    def is_compared(self) -> bool:
        """Return whether its rows are compared by checksums once its version or its files changed."""
        return self.detect == "checksum" or self.refine is not None


SourceSchema = Callable[[SourceTable], Schema | None]  # the columns of a source that declares none
