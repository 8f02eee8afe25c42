"""Days that are built as far as they have come: each rule of how they go on taken away."""

from datetime import datetime
from typing import Any

from tests.simulation.mutants.mutant import Mutant

from lamina.compiler.graph import CompiledModel
from lamina.executor import publish
from lamina.planner import ragged, record
from lamina.values.batch import Batch, RowsQuestion
from lamina.values.coverage import Coverage
from lamina.values.interval import Interval

# The original, which a mutant still calls.
is_clean = ragged.is_clean


def _ask_nothing(_model: CompiledModel, _batch: Batch, _rest: Interval) -> tuple[RowsQuestion, ...]:
    return ()


def _clean_with_debts(model: CompiledModel, coverage: Coverage, start: datetime, rest: Interval) -> bool:
    forgiven = tuple(item.replace(debts=()) for item in coverage.segments)
    return is_clean(model, coverage.replace(segments=forgiven), start, rest)


def _as_they_are(_model: Any, ranges: tuple[Interval, ...]) -> tuple[Interval, ...]:
    return ranges


RAGGED = (
    Mutant(
        "rows_ahead_of_time_are_passed_over",
        "an end moves on only where no input held a row of the unit past it",
        publish,
        "rest_questions",
        _ask_nothing,
    ),
    Mutant(
        "ends_move_past_new_rows",
        "an end moves on only where nothing touched the unit since it was built",
        ragged,
        "is_clean",
        _clean_with_debts,
    ),
    Mutant(
        "rest_of_a_unit_outlives_it",
        "what was built of a unit leaves the coverage where less of it is built again",
        record,
        "to_unit_ends",
        _as_they_are,
    ),
)
