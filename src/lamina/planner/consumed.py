"""What built ranges were built from: the versions of the inputs that a recompute of them must read."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.staleness import pins_of
from lamina.values.coverage import Coverage, Segment
from lamina.values.interval import Interval, merge
from lamina.values.names import Position, TableName
from lamina.values.value import Value


class Consumed(Value, frozen=True):
    """Ranges of one table that were built from the same versions; stale ones owe something that came later."""

    intervals: tuple[Interval, ...]
    pins: dict[TableName, Position]
    is_stale: bool


def consumed(model: CompiledModel, coverage: Coverage) -> tuple[Consumed, ...]:
    """Return the ranges that current code built, by what they consumed, clean ones first.

    A range is as of the cursors, but for the inputs it owes something to: of those it is as of just before that.
    Where a parameter is owed, its earlier value is not known, and the range is left out.
    """
    pins, inputs = pins_of(model, coverage), frozenset(use.name for use in model.inputs)
    groups: dict[tuple[tuple[TableName, Position], ...], list[Interval]] = {}
    for segment in coverage.segments:
        before = _owed_since(segment, inputs)
        if segment.logic == model.fingerprint and before is not None:
            groups.setdefault(before, []).append(segment.interval)
    return tuple(
        Consumed(intervals=merge(tuple(spans)), pins={**pins, **dict(before)}, is_stale=bool(before))
        for before, spans in sorted(groups.items())
    )


def _owed_since(segment: Segment, inputs: frozenset[TableName]) -> tuple[tuple[TableName, Position], ...] | None:
    """Return the version before the first thing owed of each input; None where a parameter is owed."""
    # What others wrote to the table is not an input of it: a recompute is what shows it.
    owed = tuple(debt for debt in segment.debts if debt.input in inputs or not debt.is_foreign)
    known = tuple((debt.input, debt.since) for debt in owed if debt.since is not None)
    return known if len(known) == len(owed) else None
