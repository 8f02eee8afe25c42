"""Read a driver by its timestamps: what a batch reads, how far it has come then, and what it leaves below."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.values.batch import Batch, Pin
from lamina.values.coverage import Coverage, Mark
from lamina.values.interval import WHOLE
from lamina.values.names import ColumnName, Position, TableName, same_name
from lamina.values.plan import Mode
from lamina.values.time_position import Load, TimePosition, TimeRead, TimeSpan, TimesSeen
from lamina.values.touch import Nothing, Ranges, Touch
from lamina.values.words import counted

MOST_LOADS = 50  # each is a time at which rows below the watermark were found changed; a mark lists them all


def is_by_time(model: CompiledModel, use: InputUse) -> bool:
    """Say whether an input is read by its timestamps, so that its touches say only that there may be new rows."""
    return use.is_driver and time_column(model) is not None


def time_column(model: CompiledModel) -> ColumnName | None:
    """Return the column of the driver by which it is read, if it is."""
    driver = model.traits.driver
    is_by_time = driver is not None and driver.is_by_time and model.driver is not None
    return driver.timestamp_column if driver is not None and is_by_time else None


def time_read(model: CompiledModel, coverage: Coverage, mode: Mode, parameters: Mapping[str, str]) -> TimeRead | None:
    """Return how a batch reads its driver by timestamps: all of it, or what is new."""
    column, driver, name = time_column(model), model.traits.driver, model.driver
    if column is None or driver is None or name is None or mode == "rewrite":
        return None
    read = TimeRead(input=name, column=column, before=coverage.time_position if mode == "append" else None)
    if (lag := driver.lag_seconds) is None:
        return read
    until = datetime.fromisoformat(parameters["execution_time"]) - timedelta(seconds=lag)
    return read.replace(until=until.isoformat(), lag_seconds=lag)


def span_to_read(read: TimeRead, seen: TimesSeen) -> TimeSpan:
    """Return which rows a batch takes: after the watermark, and again those at it where they changed."""
    before = read.before
    if before is None or before.at is None:
        return TimeSpan(column=read.column, end=seen.at, has_nulls=True)
    is_changed = before.columns != seen.columns or not before.ties.is_same(seen.ties)
    return TimeSpan(
        column=read.column, start=before.at, has_start=is_changed, end=seen.at or before.at, replaces=is_changed
    )


def spans_of(column: ColumnName, position: TimePosition) -> tuple[tuple[Position | None, TimeSpan], ...]:
    """Return which rows of which versions of a driver a table holds."""
    ends = (*(load.start for load in position.loads[1:]), None)
    return tuple(
        (
            load.position,
            TimeSpan(
                column=column,
                start=load.start,
                has_start=True,
                end=position.at if end is None else end,
                has_end=end is None,
                has_nulls=load.start is None,
            ),
        )
        for load, end in zip(position.loads, ends, strict=True)
    )


def pins_to_compare(
    model: CompiledModel, coverage: Coverage, pins: Mapping[TableName, Position]
) -> tuple[Pin, ...] | None:
    """Return what a recompute of a table must read: of a driver that was read by its timestamps, only what was taken.

    None where it is not known from which version some rows were taken.
    """
    column, driver, position = time_column(model), model.driver, coverage.time_position
    plain = tuple(Pin(input=name, position=at) for name, at in sorted(pins.items()))
    if column is None or driver is None or position is None:
        return plain
    spans = spans_of(column, position)
    taken = tuple(Pin(input=driver, position=at, span=span) for at, span in spans if at is not None)
    others = tuple(pin for pin in plain if pin.input != driver)
    return (*others, *taken) if len(taken) == len(spans) else None


def advanced(read: TimeRead, seen: TimesSeen, position: Position) -> TimePosition:
    """Return how far a driver is read after a batch that read one of its versions."""
    before = read.before
    if before is None or before.at is None:
        return TimePosition(
            at=seen.at,
            ties=seen.last,
            below=seen.between,
            nulls=seen.nulls,
            columns=seen.columns,
            loads=(Load(position=position),),
            due_at=seen.due_at,
        )
    below = before.below if seen.below is None else seen.below
    is_moved = seen.at is not None
    return TimePosition(
        at=seen.at or before.at,
        ties=seen.last if is_moved else seen.ties,
        below=below + seen.ties + seen.between if is_moved else below,
        nulls=seen.nulls,
        columns=seen.columns,
        loads=_loads(before, position, start=before.at, is_same=_is_same_below(before, seen)),
        late=before.late + below.rows - before.below.rows,
        late_nulls=before.late_nulls + seen.nulls.rows - before.nulls.rows,
        due_at=seen.due_at,
    )


def _is_same_below(before: TimePosition, seen: TimesSeen) -> bool:
    """Say whether a driver still has the rows below the watermark that it had."""
    if before.columns != seen.columns:
        # Values cannot be compared across other columns or types; then nothing is said but how many there are.
        return before.nulls.rows == seen.nulls.rows and (seen.below is None or before.below.rows == seen.below.rows)
    return before.nulls.is_same(seen.nulls) and (seen.below is None or before.below.is_same(seen.below))


def _loads(before: TimePosition, position: Position, *, start: str, is_same: bool) -> tuple[Load, ...]:
    """Return the versions that rows come from: where nothing changed below, the newest serves as well as the last."""
    if is_same:
        return (*before.loads[:-1], before.loads[-1].replace(position=position))
    loads = (*before.loads, Load(position=position, start=start))
    if len(loads) <= MOST_LOADS:
        return loads
    return (Load(position=None), *loads[-MOST_LOADS + 1 :])


def is_intact(position: TimePosition) -> bool:
    """Say whether a driver still gives every row that was read of it, and no other below the watermark."""
    return len(position.loads) == 1 and not position.is_touched


def with_seen(mark: Mark, batch: Batch, seen: TimesSeen | None) -> Mark:
    """Return the mark of a batch with how far it read its driver: it belongs to the rows, whatever comes after."""
    if seen is None:
        return mark
    coverage = with_position(mark.coverage, batch, seen)
    read, position = batch.by_time, coverage.time_position
    debts = [debt for part in coverage.segments for debt in part.debts if read is not None and debt.input == read.input]
    if debts and position is not None:
        # It read an earlier version: what came after that is still to be looked at.
        held = coverage.held if all(debt.is_append for debt in debts) else (WHOLE,)
        coverage = coverage.replace(time_position=position.replace(is_touched=True), held=held)
    return mark.replace(coverage=coverage)


def with_position(coverage: Coverage, batch: Batch, seen: TimesSeen) -> Coverage:
    """Return the coverage of a table after a batch that read its driver by timestamps."""
    read = batch.by_time
    assert read is not None, "something was seen by a read"
    (driver,) = (pin for pin in batch.pins if pin.input == read.input)
    position = advanced(read, seen, driver.position)
    held = () if is_intact(position) else coverage.held
    return coverage.replace(time_position=position, watermark=position.at, held=held)


def pass_below(coverage: Coverage, model: CompiledModel, touches: tuple[Touch, ...]) -> Coverage:
    """Note that touches may have changed rows below the watermark, which are not read again.

    Where rows may have been changed or removed, the table may be the last to hold them.
    """
    position, column = coverage.time_position, time_column(model)
    if position is None or position.at is None or column is None or not coverage.segments:
        return coverage  # without a watermark everything is read again
    seen = tuple(touch for touch in touches if not isinstance(touch.extent, Nothing))
    if any(may_reach_below(touch, column, position.at) for touch in seen):
        coverage = coverage.replace(time_position=position.replace(is_touched=True))
    is_changed = any(not touch.is_append for touch in seen)
    return coverage.replace(held=(WHOLE,)) if is_changed else coverage


def may_reach_below(touch: Touch, column: ColumnName, at: str) -> bool:
    """Say whether a touch may be about rows below a watermark; rows without a timestamp are always looked at."""
    known = touch.extent.columns if isinstance(touch.extent, Ranges) else ()
    ranges = [item.ranges for item in known if same_name(item.column, column)]
    return not ranges or any(span.start < in_domain(at) for span in ranges[0])


def in_domain(text: str) -> datetime:
    """Return a time as touches have it: dates and times without a zone as if they were of UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local_text(at: datetime, kind: str, *, zone: str) -> str:
    """Return an instant as text in the domain of a column: as the clock of the zone shows it, where it has none.

    >>> noon = datetime(2026, 4, 7, 23, 30, tzinfo=UTC)
    >>> [local_text(noon, kind, zone="Europe/Stockholm") for kind in ("timestamp", "timestamp_ntz", "date")]
    ['2026-04-07T23:30:00Z', '2026-04-08T01:30:00', '2026-04-08']
    """
    if kind == "timestamp":
        return f"{at.astimezone(UTC).replace(tzinfo=None).isoformat()}Z"
    local = at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    return local.date().isoformat() if kind == "date" else local.isoformat()


def instant_of(text: str, *, zone: str) -> datetime:
    """Return the instant that a time is: of one without a zone, when the clock of the model's zone shows it."""
    found = datetime.fromisoformat(text)
    return (found.replace(tzinfo=ZoneInfo(zone)) if found.tzinfo is None else found).astimezone(UTC)


def next_of(text: str) -> datetime | date:
    """Return the next time after one that a column can hold, in its domain."""
    if len(text) == len("2026-04-07"):
        return date.fromisoformat(text) + timedelta(days=1)
    return datetime.fromisoformat(text) + timedelta(microseconds=1)


def due_later(coverage: Coverage) -> datetime | None:
    """Return when the first row that `safety_lag` keeps back may be read."""
    position = coverage.time_position
    return None if position is None or position.due_at is None else datetime.fromisoformat(position.due_at)


def below_in_words(position: TimePosition) -> str | None:
    """Say what a driver has below the watermark that was not read; None where there is nothing."""
    if len(position.loads) == 1:
        return None
    parts = [f"{counted(position.late, 'row')} appeared below the watermark {position.at}"] if position.late > 0 else []
    if position.late_nulls > 0:
        parts.append(f"{counted(position.late_nulls, 'row')} without a timestamp appeared")
    is_unknown = position.below.rows > 0 and not position.below.sums
    changed = "may have changed, and have values that cannot be compared" if is_unknown else "were changed or removed"
    return " and ".join(parts) or f"rows below the watermark {position.at} {changed}"


def late_rows(position: TimePosition) -> int:
    """Return how many rows of a driver were not read because they came below the watermark, or without a timestamp."""
    return max(position.late, 0) + max(position.late_nulls, 0)
