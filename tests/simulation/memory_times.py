"""Rows of a driver by their timestamps, for the memory warehouse."""

from datetime import datetime, timedelta
from zlib import crc32

from tests.simulation.algebra import Relation, Row

from lamina.values.codec import content_hash
from lamina.values.time_position import Tally, TimeRead, TimeSpan, TimesSeen


def see_times(rows: Relation, read: TimeRead, columns: tuple[str, ...]) -> TimesSeen:
    """Return what a driver has at, after and, where it may have changed, below the watermark."""
    place = rows.place(str(read.column))
    before = None if read.before is None or read.before.at is None else _moment(read.before.at)
    until = datetime.max if read.until is None else datetime.fromisoformat(read.until).replace(tzinfo=None)
    timed = [(at.replace(tzinfo=None), row) for row in rows.rows if isinstance(at := row[place], datetime)]
    nulls = [row for row in rows.rows if row[place] is None]
    new = [at for at, _ in timed if before is None or at > before]
    last = max((at for at in new if at <= until), default=None)
    ahead = min((at for at in new if at > until), default=None)
    looks_below = before is not None and read.before is not None and read.before.is_touched
    names = [rows.place(name) for name in columns]

    def tally(found: list[Row]) -> Tally:
        hashes = [crc32(repr([row[at] for at in names]).encode()) for row in found]
        return Tally(rows=len(hashes), sums=(sum(hashes),))

    return TimesSeen(
        at=None if last is None else _text(last),
        ties=tally([row for at, row in timed if at == before]),
        between=tally([row for at, row in timed if last is not None and (before is None or at > before) and at < last]),
        last=tally([row for at, row in timed if last is not None and at == last]),
        nulls=tally(nulls),
        below=tally([row for at, row in timed if before is not None and at < before]) if looks_below else None,
        columns=content_hash(columns),
        due_at=None if ahead is None else f"{(ahead + timedelta(seconds=read.lag_seconds)).isoformat()}+00:00",
    )


def within(rows: Relation, span: TimeSpan) -> Relation:
    """Return the rows that lie in a span."""
    place = rows.place(str(span.column))
    start = None if span.start is None else _moment(span.start)
    end = None if span.end is None else _moment(span.end)

    def is_taken(row: Row) -> bool:
        cell = row[place]
        if not isinstance(cell, datetime):
            return span.has_nulls
        at = cell.replace(tzinfo=None)
        is_before = end is not None and (at < end or (span.has_end and at == end))
        return is_before and (start is None or at > start or (span.has_start and at == start))

    return Relation(rows.columns, tuple(row for row in rows.rows if is_taken(row)))


def without_start(rows: Relation, span: TimeSpan | None) -> Relation:
    """Return the rows of a table that stay: those at the start of a span are replaced, where it says so."""
    if span is None or not span.replaces or span.start is None:
        return rows
    place, start = rows.place(str(span.column)), _moment(span.start)
    kept = (
        row for row in rows.rows if not (isinstance(at := row[place], datetime) and at.replace(tzinfo=None) == start)
    )
    return Relation(rows.columns, tuple(kept))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=None)


def _text(at: datetime) -> str:
    return f"{at.isoformat()}Z"
