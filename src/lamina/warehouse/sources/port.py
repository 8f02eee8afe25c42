"""What every kind of source answers. A kind is one module of this folder; `kinds.py` lists them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.project.source import SourceTable
from lamina.values.batch import Pin, RowsQuestion
from lamina.values.facts import Head
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.result import Detection, Detector
from lamina.values.touch import Touch
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.schemas import SchemaAnswer
from lamina.warehouse.settings import WarehouseSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    # Its database driver is loaded by those who open a catalog: a compiler that reads columns of files does not.
    from lamina.warehouse.iceberg.tables import Tables

Pointers = Callable[[], Mapping[TableName, str]]  # where the metadata of the catalog's tables is; opens the catalog


def no_session() -> "SparkSession":
    """Raise: whoever made this lake looks at files and tables of the catalog only."""
    raise WarehouseFailure("Spark was not to be started here", kind="internal")


@dataclass(frozen=True)
class Lake:
    """Where sources are found: folders by the settings, tables in the catalog, databases through Spark."""

    settings: WarehouseSettings
    tables: "Tables"
    session: "Callable[[], SparkSession]" = no_session  # this thread's own; the first one starts Spark


@dataclass(frozen=True)
class ForSlices:
    """What a read is for: rows that these slices of a model cannot see may be left out."""

    model: CompiledModel
    span: Interval

    def use_of(self, table: TableName) -> InputUse | None:
        """Return how the model reads one of its inputs."""
        return next((use for use in self.model.inputs if use.name == table), None)


@dataclass(frozen=True)
class SourceRows:
    """A lazy frame of a source's rows, and what to do once they were read."""

    frame: "DataFrame"
    after_reading: Callable[[], None]


class SourceKind(Protocol):
    """All that is known of one kind of source. Looking starts no JVM, unless the source can only be asked by Spark."""

    def detector(self, source: SourceTable, /) -> Detector:
        """Return how the changes of a source are found."""

    def table_of(self, source: SourceTable, /) -> TableName | None:
        """Return the table of the catalog that the source is; None if a query needs a view to read it."""

    def schema(self, source: SourceTable, root: Path, pointers: Pointers, /) -> SchemaAnswer:
        """Return the columns of a source that declares none, for the compiler."""

    def head(self, source: SourceTable, lake: Lake, pin: Position | None, columns: tuple[ColumnName, ...], /) -> Head:
        """Return where the source is now, or at a pin that can still be read; `columns` may be asked for in changes."""

    def changes(
        self,
        source: SourceTable,
        lake: Lake,
        since: Position,
        /,
        *,
        columns: tuple[ColumnName, ...],
        until: Position | None,
    ) -> tuple[Touch, ...]:
        """Return what changed after a position, up to another or to now, with ranges of the columns where they show."""

    def detection(self, source: SourceTable, lake: Lake, since: Position | None, /, *, until: Position) -> Detection:
        """Return which files or versions were added, changed or removed between two positions, for the output."""

    def is_emptied(self, source: SourceTable, lake: Lake, since: Position, /, *, until: Position) -> bool:
        """Return whether nothing is listed at one position, and something was, or is not known, at an earlier one."""

    def may_hold(self, source: SourceTable, lake: Lake, question: RowsQuestion, /) -> bool:
        """Return whether a position may have rows in a range of a column; so it may where files do not say."""

    def read(
        self, source: SourceTable, lake: Lake, session: "SparkSession", pin: Pin, wanted: ForSlices | None, /
    ) -> SourceRows:
        """Return the rows at a pin, or only those added since its `since`."""

    def recheck(self, source: SourceTable, lake: Lake, position: Position, /) -> None:
        """Raise if what was read at a position is not what was pinned."""

    def unrepeatable(self, source: SourceTable, position: Position, /) -> str | None:
        """Return why a position may give other rows when it is read again; None where it does not, or says so."""

    def rows_read(self, source: SourceTable, lake: Lake, pin: Pin, wanted: ForSlices | None, /) -> int | None:
        """Return how many rows the files have that are read at a pin; None where they do not say."""

    def bytes_read(self, source: SourceTable, lake: Lake, position: Position, since: Position | None, /) -> int:
        """Return about how many bytes are read up to a position; all of them where `since` is None."""
