"""A table and a query as events of keys, in Spark SQL: a version starts (1), a key is removed (0), a key returns (2).

What lies between two events of a key is a row of its history; all of it takes one shuffle.
"""

from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lamina.strategies.traits import VALID_FROM, VALID_TO, VALIDITY, Versions
from lamina.values.names import ColumnName, folded, folded_names
from lamina.values.schema import Schema
from lamina.values.value import Value
from lamina.warehouse.spark.compare import comparable
from lamina.warehouse.spark.drift import KeptRowsCollide
from lamina.warehouse.spark.writes import IS_GONE
from lamina.warehouse.sql import quote, quote_all, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Fold(Value, frozen=True):
    """What is put into which history."""

    model: str
    versions: Versions
    columns: Schema  # of the table
    at: datetime  # when the query was asked
    former: tuple[ColumnName, ...] = ()  # columns that left the query: null in what it gives

    @property
    def given(self) -> Schema:
        """The columns of the table without those that say when a row was valid."""
        added = {folded(column.name) for column in VALIDITY}
        return tuple(column for column in self.columns if folded(column.name) not in added)

    @property
    def keys(self) -> str:
        """The columns that versions are found by, in SQL."""
        return quote_all(self.versions.key)

    @property
    def moment(self) -> str:
        """The time at which the query was asked, in SQL."""
        return f"TIMESTAMP {text(f'{self.at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}')}"

    def values(self, of: str = "") -> str:
        """Return all columns of the query as one value, in SQL."""
        return f"named_struct({', '.join(f'{text(item.name)}, {of}{quote(item.name)}' for item in self.given)})"

    def compared(self, names: AbstractSet[str], of: str = "") -> str:
        """Return some columns in a form that can be compared, in SQL; null is equal to null."""
        chosen = (item for item in self.given if folded(item.name) in names)
        return f"struct({', '.join(comparable(of + quote(item.name), item.type) for item in chosen)})"


def told_events(
    fold: Fold, seen: "DataFrame", table: "DataFrame | None", *, kept: tuple[ColumnName, ...]
) -> "DataFrame":
    """Return every event of a history with the row that it begins.

    Columns that the table keeps although the result lacks them (`kept`) have the values of the table.
    """
    rows = _seen_rows(fold, seen)
    if table is not None:
        rows = rows.unionByName(_held_rows(fold, table))
    return _told(fold, _one_each(fold, _events(fold, rows), kept))


def _seen_rows(fold: Fold, seen: "DataFrame") -> "DataFrame":
    """Return the rows of a query, each once."""
    place = f"PARTITION BY {fold.keys}, lamina__since ORDER BY lamina__since"
    numbered = seen.selectExpr("*", f"row_number() OVER ({place}) AS lamina__number").where("lamina__number = 1")
    missing = ("CAST(NULL AS TIMESTAMP) AS lamina__from", "CAST(NULL AS TIMESTAMP) AS lamina__to")
    names = (quote(column.name) for column in fold.given)
    return numbered.selectExpr(*names, "lamina__since", *missing, "true AS lamina__is_seen")


def _held_rows(fold: Fold, table: "DataFrame") -> "DataFrame":
    """Return the rows of a table; raise where two of them would be one."""
    doubled = table.groupBy(*(quote(key) for key in fold.versions.key), quote(VALID_FROM)).count()
    wrong = doubled.where(f"`count` > 1 OR {quote(VALID_FROM)} IS NULL")
    if not wrong.isEmpty():
        raise KeptRowsCollide(fold.model, f"several of them have the same key and `{VALID_FROM}`, or none")
    since = VALID_FROM if fold.versions.updated_at is None else fold.versions.updated_at
    times = (f"CAST({quote(since)} AS TIMESTAMP) AS lamina__since", f"{quote(VALID_FROM)} AS lamina__from")
    names = (quote(column.name) for column in fold.given)
    return table.selectExpr(*names, *times, f"{quote(VALID_TO)} AS lamina__to", "false AS lamina__is_seen")


def _events(fold: Fold, rows: "DataFrame") -> "DataFrame":
    """Return one row for each event, with the values of the row that it comes from."""
    of_key = f"OVER (PARTITION BY {fold.keys})"
    checked = fold.compared(folded_names(fold.versions.checked)) if fold.versions.checked else "NULL"
    known = rows.selectExpr("*", f"{checked} AS lamina__checked").selectExpr(
        "*",
        f"max(lamina__from) {of_key} AS lamina__last",
        f"max_by(lamina__to, lamina__from) {of_key} AS lamina__away",
        f"bool_or(lamina__is_seen) {of_key} AS lamina__is_there",
        f"max(CASE WHEN lamina__is_seen THEN lamina__since END) {of_key} AS lamina__newest",
        f"max_by(lamina__checked, CASE WHEN lamina__is_seen THEN 1 END) {of_key} <=> "
        f"max_by(lamina__checked, lamina__from) {of_key} AS lamina__is_equal",
        f"lead(lamina__from) OVER (PARTITION BY {fold.keys} ORDER BY lamina__from) AS lamina__next",
    )
    told = _of_check(fold) if fold.versions.updated_at is None else _of_time(fold)
    state = known.selectExpr("*", f"coalesce({told.goes_on}, false) AS lamina__goes_on")
    is_last = "lamina__from = lamina__last"
    is_removal = "lamina__to IS NOT NULL AND coalesce(lamina__next > lamina__to, true)"
    removed = f"greatest({fold.moment}, lamina__from + INTERVAL '0.000001' SECOND)"
    events = (
        _event("lamina__is_seen", told.start, "1"),
        _event("NOT lamina__is_seen", "lamina__from", "IF(lamina__since < lamina__from, 2, 1)", is_held=True),
        _event(f"NOT lamina__is_seen AND {is_removal} AND NOT ({is_last} AND lamina__goes_on)", "lamina__to", "0"),
        _event(f"{is_last} AND NOT lamina__is_there AND lamina__to IS NULL", removed, "0"),
        _event(f"{is_last} AND {told.returns}", fold.moment, "2"),
    )
    several = f"explode(filter(array({', '.join(events)}), event -> event.time IS NOT NULL)) AS lamina__event"
    return state.selectExpr("*", several)


class _Told(Value, frozen=True):
    """What a row of the query says, in SQL."""

    start: str  # when its version starts; null: there is none
    goes_on: str  # whether the last row of its key is valid as if it had not been removed
    returns: str  # whether its key is there again, in a version that was there before it was removed


def _of_time(fold: Fold) -> _Told:
    is_back = "lamina__is_there AND lamina__newest < lamina__away"
    return _Told(
        start="lamina__since",
        goes_on=f"{is_back} AND {fold.moment} <= lamina__away",
        returns=f"{is_back} AND {fold.moment} > lamina__away",
    )


def _of_check(fold: Fold) -> _Told:
    goes_on = f"lamina__is_there AND lamina__is_equal AND {fold.moment} <= lamina__away"
    start = f"""CASE WHEN lamina__last IS NULL THEN {fold.moment}
        WHEN lamina__is_equal AND (lamina__away IS NULL OR lamina__goes_on) THEN NULL
        ELSE greatest({fold.moment}, coalesce(lamina__away, lamina__last)) END"""
    return _Told(start=start, goes_on=goes_on, returns="false")


def _event(condition: str, time: str, kind: str, *, is_held: bool = False) -> str:
    fields = f"'time', {time}, 'kind', {kind}, 'is_held', {str(is_held).lower()}"
    return f"CASE WHEN {condition} THEN named_struct({fields}) END"


def _one_each(fold: Fold, events: "DataFrame", kept: tuple[ColumnName, ...]) -> "DataFrame":
    """Return each event once: of a version that table and query have, with the values of the query."""
    named = events.selectExpr(
        "*",
        "lamina__event.time AS lamina__time",
        "lamina__event.kind AS lamina__kind",
        "lamina__event.is_held AS lamina__is_held",
        f"{fold.values()} AS lamina__values",
    )
    place = f"PARTITION BY {fold.keys}, lamina__time, lamina__kind"
    is_held = "CASE WHEN lamina__is_held THEN 1 END"
    joined = named.selectExpr(
        "*",
        f"row_number() OVER ({place} ORDER BY lamina__is_seen DESC) AS lamina__number",
        f"bool_or(lamina__is_held) OVER ({place}) AS lamina__was_held",
        f"max_by(lamina__to, {is_held}) OVER ({place}) AS lamina__held_to",
        f"max_by(lamina__values, {is_held}) OVER ({place}) AS lamina__before",
        f"bool_or(NOT lamina__is_seen AND lamina__from = lamina__last AND lamina__is_held AND lamina__is_there "
        f"AND lamina__away IS NOT NULL) OVER ({place}) AS lamina__is_reopened",
    ).where("lamina__number = 1")
    names = folded_names(kept)
    held = (
        f"{text(item.name)}, IF(lamina__was_held, lamina__before.{quote(item.name)}, lamina__values.{quote(item.name)})"
        if folded(item.name) in names
        else f"{text(item.name)}, lamina__values.{quote(item.name)}"
        for item in fold.given
    )
    return joined.selectExpr("*", f"named_struct({', '.join(held)}) AS lamina__value")


def _told(fold: Fold, events: "DataFrame") -> "DataFrame":
    """Return events with the rows that they begin."""
    order = f"PARTITION BY {fold.keys} ORDER BY lamina__time, lamina__kind"
    version = "named_struct('value', lamina__value, 'is_seen', lamina__is_seen)"
    # A return says something only after a removal.
    judged = events.selectExpr(
        "*",
        f"lag(lamina__kind) OVER ({order}) AS lamina__kind_before",
        f"lag(lamina__time) OVER ({order}) AS lamina__time_before",
        f"last_value(CASE WHEN lamina__kind = 1 THEN {version} END, true) OVER ({order}) AS lamina__version",
    ).selectExpr("*", "lamina__kind < 2 OR lamina__kind_before <=> 0 AS lamina__is_told")
    later = f"OVER ({order} ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)"
    every = {folded(column.name) for column in fold.given}
    ended = judged.selectExpr(
        "*",
        "lamina__version.value AS lamina__now",
        f"min(CASE WHEN lamina__is_told THEN lamina__time END) {later} AS lamina__until",
        "lamina__kind > 0 AND lamina__is_told AS lamina__is_row",
        "lamina__was_held AND NOT lamina__is_told AND NOT (lamina__kind_before <=> 1 AND "
        f"lamina__time_before <=> lamina__time) AS {IS_GONE}",
    )
    same = f"{fold.compared(every, 'lamina__now.')} <=> {fold.compared(every, 'lamina__before.')}"
    return ended.selectExpr(
        *("lamina__time", "lamina__until", "lamina__kind", "lamina__now", "lamina__is_row", IS_GONE, "lamina__is_told"),
        *("lamina__was_held", "lamina__held_to", "lamina__is_reopened", "lamina__is_seen", "lamina__is_there"),
        "lamina__version.is_seen AS lamina__is_given",
        # The newest row of a key that was away counts as what brings it back, whatever else it does.
        "lamina__away IS NOT NULL AND coalesce(lamina__since = lamina__newest, true) AS lamina__is_back",
        f"lamina__was_held AND {same} AS lamina__has_same_values",
        f"lamina__was_held AND {same} AND lamina__held_to <=> lamina__until AS lamina__is_same",
    )
