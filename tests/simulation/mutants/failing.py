"""What becomes of slices that failed: each rule of it taken away."""

from tests.simulation.mutants.mutant import Mutant

from lamina.planner import failures

FAILING = (
    Mutant(
        "failures_are_tried_in_every_run",
        "what failed is not tried again before its time, as long as nothing has changed about it",
        failures,
        "is_resting",
        lambda *_: False,
    ),
    Mutant(
        "failures_rest_for_ever",
        "what failed is tried again in its time",
        failures,
        "is_resting",
        lambda failure, _time: failure.next_try is not None,
    ),
)
