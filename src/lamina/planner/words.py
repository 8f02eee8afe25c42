"""Reasons in words a user can act on; shown, never parsed."""

from collections.abc import Callable, Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from lamina.compiler.graph import InputUse
from lamina.values.facts import Head
from lamina.values.grid import Grid, advance, floor_unit
from lamina.values.interval import MAX, MIN, WHOLE, Interval, merge
from lamina.values.names import ColumnName, TableName, folded, folded_names
from lamina.values.partition_key import key_of
from lamina.values.plan import UNCHANGED, Action, Build, Skip
from lamina.values.touch import PREDICTED, FileCounts, Nothing, Ranges, Touch
from lamina.values.words import counted, listed

_SHOWN = 3


def spans_in_words(spans: tuple[Interval, ...], grid: Grid) -> str:
    """Name spans by their partition keys: `2026-04-03, 2026-04-05 to 2026-04-07`."""
    merged = merge(spans)
    if not merged or merged == (WHOLE,):
        return "all of it" if merged else "nothing"
    shown = ", ".join(_span_in_words(span, grid) for span in merged[:_SHOWN])
    return shown if len(merged) <= _SHOWN else f"{shown} and {counted(len(merged) - _SHOWN, 'more range')}"


def changes_for_reader(use: InputUse, touches: Iterable[Touch], *, zone: str) -> str:
    """Say what touches did to an input of a model, and where they reach all of it although it is read by a range."""
    seen = [touch for touch in touches if not isinstance(touch.extent, Nothing)]
    words, column = changes_in_words(use.name, seen, zone=zone), use.filter_column
    if column is None or all(_tells_of(touch, column) for touch in seen):
        return words
    if any(touch.position == PREDICTED for touch in seen):
        return f"{words}; which slices that reaches is known once `{use.name}` is built"
    return f"{words}; where `{column}` changed is not known, so every slice is rebuilt"


def _tells_of(touch: Touch, column: ColumnName) -> bool:
    """Return whether a touch knows the ranges of a column in which rows changed."""
    known = touch.extent.columns if isinstance(touch.extent, Ranges) else ()
    named = {folded(item.column) for item in known}
    named |= {folded(proof.filter_column) for proof in touch.refinements if proof.filter_column is not None}
    return folded(column) in named or any(proof.is_equal for proof in touch.refinements)


def changes_in_words(name: TableName, touches: Iterable[Touch], *, zone: str) -> str:
    """Say what touches did to a table: rows added, or ranges changed, in the zone of who reads it."""
    seen = [touch for touch in touches if not isinstance(touch.extent, Nothing)]
    if seen and all(touch.files or touch.detail for touch in seen):
        counts = sum((touch.files for touch in seen if touch.files), start=FileCounts())
        details = dict.fromkeys(touch.detail for touch in seen)
        return f"`{name}`: {', '.join(filter(None, (str(counts), *details)))}"
    if seen and all(touch.is_append for touch in seen):
        rows = [touch.rows_added for touch in seen]
        if all(count is not None for count in rows):
            return f"{counted(sum(count or 0 for count in rows), 'row')} added to `{name}`"
        return f"rows added to `{name}`"
    ranges = [_ranges(touch) for touch in seen]
    if ranges and all(ranges):
        spans = tuple(span for item in ranges for span in item)
        return f"`{name}` changed in {spans_in_words(spans, _days(spans, zone))}"
    return f"`{name}` changed"


def changed_columns(touches: tuple[Touch, ...], head: Head | None) -> tuple[ColumnName, ...]:
    """Return the columns that are not proven equal in every touch; none where the table's columns are not known."""
    columns = tuple(column.name for column in head.columns) if head is not None else ()
    changed: set[ColumnName] = set()
    for touch in touches:
        proofs = [proof for proof in touch.refinements if proof.is_equal]
        if any(proof.columns is None for proof in proofs):
            continue
        equal = {folded(name) for proof in proofs for name in proof.columns or ()}
        changed |= {name for name in columns if folded(name) not in equal}
    return tuple(name for name in columns if name in changed)


def spared_in_words(use: InputUse, *, columns: tuple[ColumnName, ...]) -> str:
    """Say why a change does not reach a reader."""
    reads = folded_names(use.read_set) if use.read_set is not None else None
    if columns and reads is not None and not any(folded(name) in reads for name in columns):
        return f"only {listed(columns)} of `{use.name}` changed, which it does not read"
    return f"nothing that its built slices read in `{use.name}` changed"


def units_in_words(count: int, grid: Grid) -> str:
    """Count units of a grid: `3 days`, `2 units of 15 minutes`."""
    return f"{counted(count, 'unit')} of {grid.unit}" if grid.unit[0].isdigit() else counted(count, grid.unit)


def told_first(decided: tuple[Action, ...], tell: Callable[[str], str], *, alone: str) -> tuple[Action, ...]:
    """Return a decision whose first build, or skip, has another reason; `alone` where it had none."""
    place = next((number for number, item in enumerate(decided) if isinstance(item, Build | Skip)), None)
    if place is None:
        return decided
    found = decided[place]
    reason = alone if found.reason == UNCHANGED else tell(found.reason)
    return (*decided[:place], found.replace(reason=reason), *decided[place + 1 :])


def _ranges(touch: Touch) -> tuple[Interval, ...]:
    return touch.extent.columns[0].ranges if isinstance(touch.extent, Ranges) and touch.extent.columns else ()


def _span_in_words(span: Interval, grid: Grid) -> str:
    if span.start <= MIN:
        return f"all before {_edge(span.end, grid)}"
    if span.end >= MAX:
        return f"all since {_edge(span.start, grid)}"
    if floor_unit(grid, span.start) != span.start:
        return _minutes(span, grid.zone)
    first, after = key_of(grid, span.start), advance(grid, span.start, count=1)
    if span.end < after:
        return f"{first} (unfinished)"
    last = key_of(grid, floor_unit(grid, span.end - (span.end - span.start).resolution))
    return first if last == first else f"{first} to {last}"


def _edge(bound: datetime, grid: Grid) -> str:
    """Name where an open range begins or ends: by its partition key, or by its minute within a unit."""
    return key_of(grid, bound) if floor_unit(grid, bound) == bound else _minute(bound, grid.zone)


def _days(spans: tuple[Interval, ...], zone: str) -> Grid:
    """Return the days to name spans by: those of UTC where they are such, as dates are, else those of the zone."""
    bounds = [bound for span in spans for bound in (span.start, span.end) if bound not in (MIN, MAX)]
    return Grid("day") if all(floor_unit(Grid("day"), bound) == bound for bound in bounds) else Grid("day", zone)


def _minutes(span: Interval, zone: str) -> str:
    return f"{span.start.astimezone(ZoneInfo(zone)):%Y-%m-%dT%H:%M} to {_minute(span.end, zone)}"


def _minute(bound: datetime, zone: str) -> str:
    return f"{bound.astimezone(ZoneInfo(zone)):%Y-%m-%dT%H:%M}" + ("" if zone == "UTC" else f" {zone}")
