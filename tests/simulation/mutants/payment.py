"""Debts that are paid in part, and the rows they count: each rule of it taken away."""

from typing import Any

from tests.simulation.mutants.folding import NO_GUARD
from tests.simulation.mutants.mutant import Mutant

from lamina.planner import fold, part_payment, record, segments
from lamina.planner.segments import cut_out
from lamina.values import row_counts
from lamina.values.coverage import Coverage, Segment
from lamina.values.row_counts import Owed

# The originals, which some mutants still call.
_add = row_counts.add_counts
_fold_touches = fold.fold_touches


def _nothing_is_left(after: Coverage, _model: Any, *, built: tuple[Segment, ...], **_: Any) -> Any:
    return after, built


def _nothing_was_paid(after: Coverage, model: Any, *, before: Coverage, built: Any, behind: Any, **_: Any) -> Any:
    """Leave the debts of ranges as they were before the batch, where it read earlier versions."""
    if not behind:
        return after, built
    ranges = tuple(segment.interval for segment in built)
    older = tuple(segment.replace(logic=model.fingerprint) for segment in cut_out(before.segments, ranges))
    known = {segment.interval for segment in older}
    return after, (*older, *(segment for segment in built if segment.interval not in known))


def _only_the_newest(_older: Owed, newer: Owed) -> Owed:
    return newer


def _counted_again(older: Owed, newer: Owed) -> Owed:
    return _add(_add(older, newer), newer)


PAYMENT = (
    Mutant(
        "rest_of_a_debt_is_forgotten",
        "what came after the version that a batch read stays owed",
        record,
        "owe_the_rest",
        _nothing_is_left,
    ),
    Mutant(
        "part_of_a_debt_is_paid_again",
        "a debt that was paid in part begins where the batch read up to",
        record,
        "owe_the_rest",
        _nothing_was_paid,
    ),
    Mutant(
        "rest_counts_as_appended",
        "what is left of a debt holds appends only if all that came after the pin was appended",
        part_payment,
        "fold_touches",
        lambda coverage, model, *, use, touches: _fold_touches(
            coverage, model, use=use, touches=tuple(touch.replace(is_append=True) for touch in touches)
        ),
        net=NO_GUARD,
    ),
    Mutant(
        "counts_of_an_older_debt_are_lost",
        "the fold adds the rows of each touch to those that are owed",
        segments,
        "add_counts",
        _only_the_newest,
    ),
    Mutant(
        "counts_are_added_twice",
        "the rows of a touch are counted once",
        segments,
        "add_counts",
        _counted_again,
    ),
)
