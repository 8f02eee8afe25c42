"""What a published batch leaves in its model's coverage; the only place where a debt is paid."""

from collections.abc import Container, Mapping
from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.logic import logic_of
from lamina.planner.part_payment import owe_the_rest, pins_behind
from lamina.planner.relayout import as_current
from lamina.planner.segments import cut_out, ever_built, fuse, leave_out, owe
from lamina.planner.time_position import with_position
from lamina.values.batch import Batch
from lamina.values.coverage import Coverage, Cursor, Debt, Logic, ProvenKey, Segment
from lamina.values.grid import ceil_unit, widen
from lamina.values.interval import WHOLE, Interval, intersect, merge, subtract
from lamina.values.names import ColumnName, Fingerprint, Position, TableName
from lamina.values.time_position import TimesSeen
from lamina.values.touch import Touch


def record_batch(
    coverage: Coverage,
    model: CompiledModel,
    batch: Batch,
    *,
    start: datetime | None,
    watermark: str | None,
    logs: Mapping[TableName, tuple[Touch, ...]],
    retained: int | None = None,
    former: tuple[ColumnName, ...] | None = None,
    proven: tuple[ProvenKey, ...] = (),
    quiet: tuple[Interval, ...] = (),
    quarantine: str | None = None,
    times: TimesSeen | None = None,
) -> Coverage:
    """Return the coverage after a batch is published, an equal result included.

    `coverage` is the one the table's record holds at that moment; `start` is the effective start of an interval model;
    `logs` of the inputs say what came after versions that are not their newest; `retained` counts the rows that only
    the table holds and `former` are the columns kept for them, where the batch knows; `proven` is what its checks have
    shown, and `quiet` are rests of its slices without a row in any input; `quarantine` is its commit where it changed
    the quarantine of the table; `times` is what it saw of a driver that it read by timestamps.
    """
    coverage = as_current(model, coverage)
    if batch.mode == "rewrite":
        return coverage.replace(layout=model.layout)
    ranges = _whole_units(model, batch.slices)
    paid = {pin.input: pin.position for pin in batch.pins}
    read = {name: batch.parameters[name] for name in model.reads_parameters if name in batch.parameters}
    behind = pins_behind(coverage, batch)
    built = _built_segments(coverage, model, ranges=ranges, paid=paid, behind=behind)
    kept = leave_out(coverage.segments, to_unit_ends(model, ranges))
    is_partial = batch.mode == "append" or any(pin.since is not None for pin in batch.pins)
    if is_whole := batch.mode == "replace_all":
        kept = tuple(_forgiven(segment) for segment in cut_out(kept, batch.carried))
    kept = tuple(_with_parameter_debts(segment, coverage.parameters, read) for segment in kept)
    segments = (*kept, *built)
    logics = _logics_in_use(coverage, model, segments)
    retained = retained if retained is not None else coverage.retained
    after = Coverage(
        cursors=_cursors_in_use(coverage, logics, paid=paid),
        logics=logics,
        parameters=read,
        start=start.isoformat() if start is not None else coverage.start,
        watermark=watermark if watermark is not None else coverage.watermark,
        built=batch.parameters.get("execution_time", coverage.built),
        layout=model.layout if is_whole or not coverage.segments else coverage.layout,
        retained=retained,
        keeps=bool(model.traits.kept_by),
        ever_built=None if WHOLE in ranges else merge((*ever_built(coverage), *ranges)),
        # Slices that a rebuild carries over are as they were, with what `keep` let pass in them.
        not_followed=_not_followed(model, () if is_whole and not kept else coverage.not_followed, retained),
        held=coverage.held if is_partial else _still_held(coverage, ranges, segments),
        loaded=coverage.loaded if is_partial else (),
        former=coverage.former if former is None else former,
        proven=proven,
        quiet=(*_still_quiet(coverage, model, ranges), *quiet),
        quarantine=quarantine or coverage.quarantine,
        time_position=None if batch.by_time is None else coverage.time_position,
    )
    after = after if times is None else with_position(after, batch, times)
    after, built = owe_the_rest(after, model, before=coverage, built=built, behind=behind, logs=logs)
    return after.replace(segments=fuse((*kept, *built)))


def _still_quiet(coverage: Coverage, model: CompiledModel, ranges: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Return the rests of unfinished slices that a batch did not build again."""
    grid = grid_of(model)
    return () if grid is None else tuple(rest for rest in coverage.quiet if not intersect((widen(grid, rest),), ranges))


def _not_followed(model: CompiledModel, before: tuple[TableName, ...], retained: int | None) -> tuple[TableName, ...]:
    """Return the inputs that a table does not follow: rows that it keeps win over later ones of such a driver."""
    kept = tuple(use.name for use in model.inputs if retained and use.is_driver and use.on_touch == "keep")
    return tuple(sorted({*before, *kept}))


def _still_held(
    coverage: Coverage, ranges: tuple[Interval, ...], segments: tuple[Segment, ...]
) -> tuple[Interval, ...]:
    """Return where rows are left that only the table holds: outside of what a batch built from its whole inputs."""
    return intersect(subtract(coverage.held, ranges), merge(tuple(segment.interval for segment in segments)))


def _forgiven(segment: Segment) -> Segment:
    """Return a range that was carried over from before another program wrote to the table."""
    return segment.replace(debts=tuple(debt for debt in segment.debts if not debt.is_foreign))


def _whole_units(model: CompiledModel, slices: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Shrink slices to begin with a unit; an end inside a unit stays, so that the unit is redone until it is whole."""
    grid = grid_of(model)
    if grid is None:
        return slices
    starts = ((ceil_unit(grid, span.start), span.end) for span in slices)
    return tuple(Interval(start, end) for start, end in starts if start < end)


def to_unit_ends(model: CompiledModel, ranges: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Return ranges with the rest of the unit they end in: what was built there came of the unit as it was before."""
    grid = grid_of(model)
    return ranges if grid is None else tuple(Interval(span.start, ceil_unit(grid, span.end)) for span in ranges)


def _built_segments(
    coverage: Coverage,
    model: CompiledModel,
    *,
    ranges: tuple[Interval, ...],
    paid: dict[TableName, Position],
    behind: Container[TableName],
) -> tuple[Segment, ...]:
    """Return the ranges as built by the current code, with the debts that the pinned inputs did not cover.

    Of inputs that were read at an earlier version, all is counted again from there.
    """
    fresh = tuple(
        Segment(interval=span, logic=model.fingerprint)
        for span in subtract(ranges, tuple(segment.interval for segment in coverage.segments))
    )
    inputs = {use.name for use in model.inputs}

    def stays(debt: Debt) -> bool:
        is_of_pin = debt.input not in behind or debt.is_foreign
        return debt.input in inputs and is_of_pin and not is_paid(debt, coverage, paid)

    again = tuple(
        Segment(interval=item.interval, logic=model.fingerprint, debts=tuple(filter(stays, item.debts)))
        for item in cut_out(coverage.segments, ranges)
    )
    return (*fresh, *again)


def is_paid(debt: Debt, coverage: Coverage, paid: dict[TableName, Position]) -> bool:
    """Say whether the batch read the input at the debt's position or later.

    The log is folded up to the cursor, so a pin at the cursor is later than every debt; an older pin covers a debt
    only if it is exactly there.
    """
    position = paid.get(debt.input)
    cursor = coverage.cursor(debt.input)
    if position is None:
        return False
    return position == debt.position or (cursor is not None and cursor.position == position)


def _logics_in_use(coverage: Coverage, model: CompiledModel, segments: tuple[Segment, ...]) -> tuple[Logic, ...]:
    current = logic_of(model)
    used: set[Fingerprint] = {segment.logic for segment in segments}
    others = (item for item in coverage.logics if item.fingerprint != model.fingerprint and item.fingerprint in used)
    return tuple(sorted((*others, current), key=lambda item: item.fingerprint))


def _cursors_in_use(
    coverage: Coverage, logics: tuple[Logic, ...], *, paid: dict[TableName, Position]
) -> tuple[Cursor, ...]:
    """Return the cursors of every input that some code in use reads; an input read for the first time gets its pin."""
    names = {name for logic in logics for name in logic.reads}
    known = tuple(cursor for cursor in coverage.cursors if cursor.input in names)
    new = (
        Cursor(input=name, position=position)
        for name, position in paid.items()
        if name in names and coverage.cursor(name) is None
    )
    return tuple(sorted((*known, *new), key=lambda item: item.input))


def _with_parameter_debts(segment: Segment, before: dict[str, str], read: dict[str, str]) -> Segment:
    """Let a segment that stays owe what a parameter is now, where it was built with another value."""
    for name, value in sorted(read.items()):
        if before.get(name) != value:
            segment = owe(segment, Debt(input=TableName(f"@{name}"), since=None, position=Position(value)))
    return segment
