"""What every run builds whatever changed: each rule of it taken away."""

from typing import Any

from tests.simulation.mutants.mutant import Mutant

from lamina.planner import decide_intervals
from lamina.planner.failures import failed_ranges
from lamina.values.facts import Failure
from lamina.values.interval import Interval


def _nothing(*_: Any, **__: Any) -> tuple[Interval, ...]:
    return ()


def _as_they_are(spans: tuple[Interval, ...], *_: Any, **__: Any) -> tuple[Interval, ...]:
    return spans


def _as_far_as_it_came(failures: tuple[Failure, ...], *_: Any) -> tuple[Interval, ...]:
    return failed_ranges(failures)


REDOING = (
    Mutant(
        "rest_of_a_failed_day_is_built",
        "of a slice that failed as far as it had come, no later part is built alone",
        decide_intervals,
        "failed_units",
        _as_far_as_it_came,
    ),
    Mutant(
        "slices_of_every_run_are_left_out",
        "`rebuild` builds slices that owe nothing",
        decide_intervals,
        "redone_ranges",
        _nothing,
    ),
    Mutant(
        "earlier_run_cuts_a_day",
        "a slice that is built further than a run would build it is left as it is",
        decide_intervals,
        "not_shortened",
        _as_they_are,
    ),
)
