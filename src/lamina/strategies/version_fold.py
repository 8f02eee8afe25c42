"""The history of a snapshot as a pure function: the rows that are there, what its query gives now, and when.

Of each key three kinds of events are known: a version starts, the key is removed, the key returns as it was. The rows
of a table are these events written down, and nothing else: read back and folded with more of them, in whatever order
these come, they give one history. The warehouse does the same in Spark SQL.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from lamina.values.value import Value

Cells = tuple[Any, ...]
AN_INSTANT = timedelta(microseconds=1)


class Version(Value, frozen=True):
    """One row of a snapshot; `since` is before `valid_from` only where its key was away meanwhile."""

    key: Cells
    values: Cells  # all other columns of the query
    since: datetime  # when its values were made
    valid_from: datetime
    valid_to: datetime | None = None  # None: it is current


class Seen(Value, frozen=True):
    """One row that the query gives."""

    key: Cells
    values: Cells
    updated_at: datetime | None = None  # None: only a change of values shows that it is another version


Row = TypeVar("Row", Version, Seen)


class FoldCounts(Value, frozen=True):
    """What became of the rows that the query gave: each is in one of the first five; and what that did to the table."""

    inserted: int = 0  # a new version
    replaced: int = 0  # a version that is there has other values now
    reopened: int = 0  # the newest row of a key that was away
    unchanged: int = 0
    duplicate: int = 0  # equal to another one
    closed: int = 0  # rows of the table that were current
    deleted: int = 0  # rows of returned keys, whose time a late version has taken


class Folded(Value, frozen=True):
    """A history after one more look at its source."""

    rows: tuple[Version, ...]
    counts: FoldCounts = FoldCounts()
    retained: int = 0  # rows that the query does not give


def ambiguous_keys(seen: Iterable[Seen]) -> tuple[Cells, ...]:
    """Return the keys that come twice for one moment with different values."""
    found = Counter((row.key, row.updated_at) for row in dict.fromkeys(seen))
    return tuple(dict.fromkeys(key for (key, _), count in found.items() if count > 1))


def fold_by_time(table: Iterable[Version], seen: Sequence[Seen], at: datetime) -> Folded:
    """Put rows that have a time of their own into a history; `at` is when they were seen."""
    return _fold(table, seen, at, _by_time)


def fold_by_check(
    table: Iterable[Version], seen: Sequence[Seen], at: datetime, *, checked: Callable[[Cells], Cells]
) -> Folded:
    """Put rows without a time into a history: what differs in the checked values is another version since `at`."""

    def look(events: "_Events", rows: Sequence[Seen], at: datetime) -> dict[str, int]:
        return _by_check(events, rows, at, checked=checked)

    return _fold(table, seen, at, look)


class _Events:
    """What is known of one key; `last` is its latest row."""

    def __init__(self, rows: Sequence[Version]) -> None:
        self.rows = sorted(rows, key=lambda row: row.valid_from)
        begun = (row for row in self.rows if row.since >= row.valid_from)
        self.starts: dict[datetime, Cells] = {row.valid_from: row.values for row in begun}
        self.returned = {row.valid_from for row in self.rows if row.since < row.valid_from}
        begins = {row.valid_from for row in self.rows}
        self.removed = {row.valid_to for row in self.rows if row.valid_to is not None and row.valid_to not in begins}
        self.last = self.rows[-1] if self.rows else None

    @property
    def away_since(self) -> datetime | None:
        """When the key was removed; None: it is there, or was never seen."""
        return None if self.last is None else self.last.valid_to

    def come_back(self, at: datetime, away: datetime) -> None:
        """Open a row for a key that is there as it was; one that was not away for any time goes on as before."""
        if at > away:
            self.returned.add(at)
        else:
            self.removed.discard(away)

    def remove(self, at: datetime) -> None:
        """Close the current row; one of the future, an instant after it begins."""
        if self.last is not None and self.last.valid_to is None:
            self.removed.add(max(at, self.last.valid_from + AN_INSTANT))


_Look = Callable[[_Events, Sequence[Seen], datetime], dict[str, int]]


def _by_time(events: _Events, rows: Sequence[Seen], at: datetime) -> dict[str, int]:
    """Take in the rows of one key; return how many of them are what."""
    given = {row.updated_at: row.values for row in rows if row.updated_at is not None}
    newest, away = max(given), events.away_since
    others = given if away is None else {time: values for time, values in given.items() if time != newest}
    new = sum(time not in events.starts for time in others)
    changed = sum(time in events.starts and events.starts[time] != values for time, values in others.items())
    events.starts |= given
    if away is not None and newest < away:
        events.come_back(at, away)
    return {"inserted": new, "replaced": changed, "reopened": int(away is not None)}


def _by_check(
    events: _Events, rows: Sequence[Seen], at: datetime, *, checked: Callable[[Cells], Cells]
) -> dict[str, int]:
    """Take in the one row of a key; return what it is."""
    (row,), last = rows, events.last
    if last is None:
        events.starts[at] = row.values
        return {"inserted": 1}
    is_same, away = checked(last.values) == checked(row.values), last.valid_to
    if away is None and is_same:
        return {}
    if away is not None and is_same and at <= away:
        events.removed.discard(away)
        return {"reopened": 1}
    start = max(at, last.valid_from if away is None else away)
    what = "reopened" if away is not None else "replaced" if start in events.starts else "inserted"
    events.starts[start] = row.values
    return {what: 1}


def _fold(table: Iterable[Version], seen: Sequence[Seen], at: datetime, look: _Look) -> Folded:
    before, distinct = _by_key(table), tuple(dict.fromkeys(seen))
    given = _by_key(distinct)
    rows: list[Version] = []
    counts = Counter[str]()
    for key in dict.fromkeys((*before, *given)):
        events = _Events(before.get(key, ()))
        if key in given:
            counts.update(look(events, given[key], at))
        else:
            events.remove(at)
        after = _written(key, events)
        counts.update(_done(events, after))
        rows += after
    known = {(row.key, row.updated_at) for row in distinct}
    counts["unchanged"] = len(distinct) - sum(counts[name] for name in ("inserted", "replaced", "reopened"))
    counts["duplicate"] = len(seen) - len(distinct)
    retained = sum((row.key, row.since) not in known and not _is_given(row, known) for row in rows)
    return Folded(tuple(rows), FoldCounts(**counts), retained)


def _is_given(row: Version, known: set[tuple[Cells, datetime | None]]) -> bool:
    """Say whether a row without a time of its own is what the query gives."""
    return row.valid_to is None and (row.key, None) in known


def _done(events: _Events, after: Sequence[Version]) -> dict[str, int]:
    """Count what became of the rows of one key."""
    ends = {(row.valid_from, row.since < row.valid_from): row.valid_to for row in after}
    current = [(row.valid_from, row.since < row.valid_from) for row in events.rows if row.valid_to is None]
    begins = {row.valid_from for row in after if row.since < row.valid_from}
    gone = [row for row in events.rows if row.since < row.valid_from and row.valid_from not in begins]
    return {
        "closed": sum(ends.get(item) is not None for item in current),
        "deleted": len(gone),
    }


def _written(key: Cells, events: _Events) -> list[Version]:
    """Write events down as rows: each start and each return lasts until the next event."""
    # A removal comes before what starts in the same moment; a return says nothing new beside a start.
    removals = [(time, 0) for time in events.removed]
    known = sorted([*removals, *((time, 1) for time in events.starts), *((time, 2) for time in events.returned)])
    told = [item for before, item in zip([None, *known], known, strict=False) if item[1] < 2 or _is_away(before)]
    rows = []
    since = None
    for (time, kind), after in zip(told, [*told[1:], None], strict=True):
        since = time if kind == 1 else since
        if kind and since is not None:
            end = None if after is None else after[0]
            rows.append(Version(key, events.starts[since], since, time, end))
    return rows


def _is_away(before: tuple[datetime, int] | None) -> bool:
    return before is not None and before[1] == 0


def _by_key(rows: Iterable[Row]) -> Mapping[Cells, list[Row]]:
    found: dict[Cells, list[Row]] = {}
    for row in rows:
        found.setdefault(row.key, []).append(row)
    return found
