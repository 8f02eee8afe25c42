"""The history of a snapshot in Spark SQL: the fold of `strategies/version_fold.py`, over tables of any size."""

from typing import TYPE_CHECKING

from lamina.strategies.traits import VALID_FROM, VALID_TO
from lamina.values.batch import Counts
from lamina.values.names import folded, folded_names
from lamina.warehouse.rejected_versions import AmbiguousVersions, UndatedVersions
from lamina.warehouse.spark.compare import as_json
from lamina.warehouse.spark.version_events import Fold, told_events
from lamina.warehouse.spark.writes import IS_GONE, conform
from lamina.warehouse.sql import quote, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SHOWN = 4


class VersionHistory:
    """A history after one more look at its source: all its rows, those to write, and what was counted."""

    def __init__(self, fold: Fold, told: "DataFrame", counts: Counts, *, retained: int, removals: int) -> None:
        self._fold = fold
        self._told = told
        self.counts = counts
        self.retained = retained  # rows that the query does not give
        self.removals = removals  # times at which keys were seen to be gone

    def rows(self) -> "DataFrame":
        """Return all rows."""
        return self._told.where("lamina__is_row").selectExpr(*self._columns())

    def changes(self) -> "DataFrame":
        """Return the rows that are not in the table as they are, and those that leave it, marked as gone."""
        changed = self._told.where(f"{IS_GONE} OR lamina__is_row AND NOT lamina__is_same")
        return changed.selectExpr(*self._columns(), IS_GONE)

    def _columns(self) -> list[str]:
        ends = {folded(VALID_FROM): "lamina__time", folded(VALID_TO): "lamina__until"}
        values = {folded(column.name): f"lamina__now.{quote(column.name)}" for column in self._fold.given}
        named = ((column.name, (ends | values)[folded(column.name)]) for column in self._fold.columns)
        return [f"{value} AS {quote(name)}" for name, value in named]


def fold_history(fold: Fold, table: "DataFrame | None", result: "DataFrame") -> VersionHistory:
    """Put what a query gives into the history that a table holds; the query is evaluated once."""
    start = "NULL" if fold.versions.updated_at is None else quote(fold.versions.updated_at)
    seen = conform(result, fold.given).selectExpr("*", f"CAST({start} AS TIMESTAMP) AS lamina__since").localCheckpoint()
    produced, distinct = _sizes(fold, seen)
    present = folded_names(result.columns) | folded_names(fold.former)
    kept = tuple(column.name for column in fold.given if folded(column.name) not in present)
    told = told_events(fold, seen, table, kept=kept).localCheckpoint()
    return _counted(fold, told, produced=produced, distinct=distinct)


def _sizes(fold: Fold, seen: "DataFrame") -> tuple[int, int]:
    """Return how many rows a query gave, and how many keys and times; raise where rows have no one place among them."""
    updated_at = fold.versions.updated_at
    places = (*(quote(key) for key in fold.versions.key), "lamina__since")
    sizes = seen.groupBy(*places).count()
    produced, distinct, doubled, undated = sizes.selectExpr(
        "coalesce(sum(`count`), 0)", "count(1)", "count_if(`count` > 1)", "count_if(lamina__since IS NULL)"
    ).collect()[0]
    if updated_at is not None and undated:
        shown = _shown(fold, seen.where("lamina__since IS NULL"))
        raise UndatedVersions(fold.model, shown, updated_at=updated_at)
    if doubled:
        # Asked only then: most sources give each row once, and comparing texts costs more than counting keys.
        texts = seen.selectExpr(*places, f"{as_json(fold.values())} AS lamina__text").distinct()
        ambiguous = texts.groupBy(*places).count().where("`count` > 1")
        if shown := _shown(fold, ambiguous):
            raise AmbiguousVersions(fold.model, shown, updated_at=updated_at)
    return produced, distinct


def _shown(fold: Fold, rows: "DataFrame") -> tuple[str, ...]:
    """Return a few keys in words."""
    parts = (f"{text(key + ' = ')}, coalesce(CAST({quote(key)} AS STRING), 'NULL')" for key in fold.versions.key)
    whole = ", ', ', ".join(parts)
    named = rows.selectExpr(f"concat({whole}) AS named")
    return tuple(row["named"] for row in named.distinct().orderBy("named").limit(_SHOWN).collect())


def _counted(fold: Fold, told: "DataFrame", *, produced: int, distinct: int) -> VersionHistory:
    is_own = "lamina__kind = 1 AND lamina__is_seen AND NOT lamina__is_back"
    is_given = "lamina__until IS NULL AND lamina__is_there" if fold.versions.updated_at is None else "lamina__is_given"
    inserted, replaced, reopened, closed, deleted, retained, removals = told.selectExpr(
        f"count_if({is_own} AND NOT lamina__was_held)",
        f"count_if({is_own} AND lamina__was_held AND NOT lamina__has_same_values)",
        "count_if(lamina__is_reopened)",
        "count_if(lamina__is_row AND lamina__was_held AND lamina__held_to IS NULL AND lamina__until IS NOT NULL)",
        "count_if(lamina__was_held AND NOT lamina__is_told)",
        f"count_if(lamina__is_row AND NOT ({is_given}))",
        "count_if(lamina__kind = 0)",
    ).collect()[0]
    counts = Counts(
        written=inserted + replaced + reopened,
        inserted=inserted,
        replaced=replaced,
        reopened=reopened,
        unchanged=distinct - inserted - replaced - reopened,
        duplicate=produced - distinct,
        closed=closed,
        deleted=deleted,
    )
    return VersionHistory(fold, told, counts, retained=retained, removals=removals)
