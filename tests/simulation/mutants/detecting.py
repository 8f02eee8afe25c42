"""Sources that are compared by checksums, or read again by every run: each rule of it taken away."""

from typing import Any

from tests.simulation import memory_sums
from tests.simulation.mutants.mutant import Mutant

from lamina.planner import decide_intervals, decide_whole
from lamina.warehouse.spark import compared_sums, source_comparison

# The originals, which mutants still call.
_changes = compared_sums.changes_of
_hash = memory_sums.hash_of
_refinements = compared_sums.refinements_of


def _without_removed(pair: Any, before: Any, after: Any, columns: Any) -> Any:
    return tuple(change for change in _changes(pair, before, after, columns) if change[1] is not None)


def _without_new(pair: Any, before: Any, after: Any, columns: Any) -> Any:
    return tuple(change for change in _changes(pair, before, after, columns) if change[0] is not None)


def _value_by_value(cells: tuple[Any, ...]) -> int:
    # Halves of sums that carry would differ by the carry: each value has a small hash of its own here.
    return sum(_hash((place, cell)) % 2**24 for place, cell in enumerate(cells))


def _all_or_none(before: Any, after: Any, questions: Any) -> tuple[Any, ...]:
    found = _refinements(before, after, questions)
    return found if all(proof.is_equal for proof in found) and len(found) == len(set(questions)) else ()


def _as_before(before: Any, _read: Any, _plan: Any, _spans: Any) -> Any:
    return before.groupings


def _no_input(_model: Any) -> tuple[Any, ...]:
    return ()


DETECTING = (
    Mutant(
        "removed_partition_is_missed",
        "a partition that was removed is touched",
        compared_sums,
        "changes_of",
        _without_removed,
    ),
    Mutant(
        "new_partition_is_missed",
        "a partition that is new is touched",
        compared_sums,
        "changes_of",
        _without_new,
    ),
    Mutant(
        "swapped_values_cancel_out",
        "values of a row are hashed together before they are summed",
        memory_sums,
        "hash_of",
        _value_by_value,
    ),
    Mutant(
        "column_change_touches_all_readers",
        "a change of a column that is compared touches only its readers",
        source_comparison,
        "refinements_of",
        _all_or_none,
    ),
    Mutant(
        "sums_of_touched_units_are_carried_over",
        "the units around a change are summed again",
        source_comparison,
        "carry_over",
        _as_before,
    ),
    Mutant(
        "source_without_a_detector_is_current",
        'readers of a source with `detect = "always"` are built by every run',
        decide_intervals,
        "always_new",
        _no_input,
        net=(decide_whole, "always_new", _no_input),
    ),
)
