"""What a batch leaves owed that read an input at an earlier version than the one its log is folded up to."""

from collections.abc import Mapping

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.planner.fold import fold_touches, touches_after
from lamina.planner.segments import cut_out, fuse, owe
from lamina.planner.time_position import is_by_time, pass_below
from lamina.values.batch import Batch, Pin
from lamina.values.coverage import Coverage, Cursor, Debt, Segment
from lamina.values.interval import subtract
from lamina.values.names import TableName
from lamina.values.touch import Everything, Touch


def pins_behind(coverage: Coverage, batch: Batch) -> dict[TableName, Pin]:
    """Return the pins of a batch that are not at the cursor: what came after them is still owed."""
    cursors = {cursor.input: cursor.position for cursor in coverage.cursors}
    return {pin.input: pin for pin in batch.pins if cursors.get(pin.input, pin.position) != pin.position}


def owe_the_rest(
    after: Coverage,
    model: CompiledModel,
    *,
    before: Coverage,
    built: tuple[Segment, ...],
    behind: Mapping[TableName, Pin],
    logs: Mapping[TableName, tuple[Touch, ...]],
) -> tuple[Coverage, tuple[Segment, ...]]:
    """Return the coverage and the built ranges with what the inputs did after the versions that were read.

    `before` is the coverage that the batch found. Its debts are an upper bound where a log no longer says what came.
    """
    for use in (use for use in model.inputs if use.name in behind):
        pin, cursor = behind[use.name], before.cursor(use.name)
        assert cursor is not None, "an input that was never folded is at its pin"
        touches = _touches_between(logs.get(use.name, ()), pin, cursor)
        if touches is None:
            if is_by_time(model, use):
                after = pass_below(after, model, (_unknown(pin, cursor),))
            built = tuple(part for segment in built for part in _bounded(segment, model, before, pin, cursor))
            continue
        as_read = after.replace(segments=fuse(built), cursors=_as_of(after, use, pin))
        folded = fold_touches(as_read, model, use=use, touches=touches)
        after, built = folded.replace(segments=after.segments, cursors=after.cursors), folded.segments
    return after, built


def _unknown(pin: Pin, cursor: Cursor) -> Touch:
    return Touch(table=pin.input, position=cursor.position, parent=pin.position, extent=Everything())


def _as_of(coverage: Coverage, use: InputUse, pin: Pin) -> tuple[Cursor, ...]:
    others = (cursor for cursor in coverage.cursors if cursor.input != use.name)
    return (*others, Cursor(input=use.name, position=pin.position))


def _touches_between(log: tuple[Touch, ...], pin: Pin, cursor: Cursor) -> tuple[Touch, ...] | None:
    """Return the touches after a pin up to the cursor, or None where the log does not lead from one to the other."""
    ends = [place for place, touch in enumerate(log) if touch.position == cursor.position]
    touches = touches_after(log[: ends[-1] + 1], Cursor(input=pin.input, position=pin.position)) if ends else ()
    expected = pin.position
    for touch in touches:
        if touch.parent != expected:
            return None
        expected = touch.position
    return touches if expected == cursor.position else None


def _bounded(segment: Segment, model: CompiledModel, before: Coverage, pin: Pin, cursor: Cursor) -> tuple[Segment, ...]:
    """Return the parts of a built range with what they may owe: no more than they owed, or else all that came."""
    all_of_it = Debt(input=pin.input, since=pin.position, position=cursor.position, sequence=cursor.sequence)
    parts: list[Segment] = []
    for older in cut_out(before.segments, (segment.interval,)):
        part = segment.replace(interval=older.interval)
        found = [debt for debt in older.debts if debt.input == pin.input and not debt.is_foreign]
        # What other code owed is not what this code reads.
        known = found if older.logic == model.fingerprint else []
        owed = [_rest(debt, pin) for debt in known if debt.position != pin.position]
        for debt in owed if known else (all_of_it,):
            part = owe(part, debt)
        parts.append(part)
    new = subtract((segment.interval,), tuple(item.interval for item in before.segments))
    return (*parts, *(owe(segment.replace(interval=span), all_of_it) for span in new))


def _rest(debt: Debt, pin: Pin) -> Debt:
    """Return a debt that was paid up to a pin; it holds appends only if the batch read on from where it begins."""
    is_append = debt.is_append and pin.since is not None and pin.since == debt.since
    return debt.replace(since=pin.position, is_append=is_append)
