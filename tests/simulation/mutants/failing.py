"""What becomes of slices that failed: each rule of it taken away."""

from tests.simulation.mutants.mutant import Mutant

from lamina.executor import publish, run, step
from lamina.planner import decide_intervals, failures, plan
from lamina.planner.asked import asked_slices
from lamina.values.plan import Hold

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
    Mutant(
        "anomalies_are_published",
        "a rebuild that would leave far fewer rows is refused where it is to be",
        publish,
        "judge_batch",
        lambda *_, **__: (),
    ),
    Mutant(
        "lifted_limits_are_not_noticed",
        "what was refused as an anomaly is tried again when its limits change",
        failures,
        "limits_of",
        lambda _: (),
    ),
    Mutant(
        "budgets_are_not_kept",
        "a run builds no more slices of a model than its budget allows",
        step,
        "within_slices",
        lambda _model, decided, _built=(): decided,
        net=(plan, "within_slices", lambda _model, decided, _built=(): decided),
    ),
    Mutant(
        "rebuild_within_a_budget_begins_again",
        "a rebuild of slice after slice goes on where the run before ended",
        decide_intervals,
        "_unfinished",
        lambda *_, due, **__: due,
    ),
    Mutant(
        "asked_slices_beyond_a_budget_are_forgotten",
        "what was asked for and is beyond a budget stays requested",
        run,
        "asked_slices",
        lambda planned: asked_slices(
            planned.replace(actions=tuple(item for item in planned.actions if not isinstance(item, Hold)))
        ),
    ),
)
