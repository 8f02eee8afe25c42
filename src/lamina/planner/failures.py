"""What failed in earlier passes: how often, why it is not tried again yet, and what makes it tried again."""

from datetime import datetime, timedelta

from lamina.compiler.graph import CompiledModel
from lamina.planner.staleness import pins_of
from lamina.project.limits import AnomalySettings, BudgetSettings
from lamina.values.codec import content_hash
from lamina.values.facts import Failure, ModelFacts
from lamina.values.failing import Failing
from lamina.values.grid import Grid, widen
from lamina.values.interval import Interval, intersect, merge
from lamina.values.plan import Action, Build, Rebuild
from lamina.values.value import Value


class Backoff(Value, frozen=True):
    """How long a failure rests: doubled each time it fails again, up to the longest."""

    first: timedelta
    longest: timedelta


# The same code over the same inputs fails again, unless something unseen has changed.
_FINAL = Backoff(first=timedelta(hours=1), longest=timedelta(hours=24))
# It may pass later, but a job that runs out of memory is not repeated in every pass of a loop.
_COSTLY = Backoff(first=timedelta(minutes=5), longest=timedelta(hours=1))

# Of any other kind nothing is kept: a network, a quota or another writer may be well again in the next pass.
_BACKOFFS = {
    "query_rejected": _FINAL,
    "data_rejected": _FINAL,
    "resources": _COSTLY,
    "internal": _COSTLY,
    "unknown": _COSTLY,
}


def is_kept(kind: str) -> bool:
    """Say whether a failure of this kind is remembered over passes."""
    return kind in _BACKOFFS


def rest_of(kind: str, attempts: int) -> timedelta:
    """Return how long a failure of a kept kind rests after it failed so often.

    >>> [str(rest_of("data_rejected", attempts)) for attempts in (1, 2, 5, 6)]
    ['1:00:00', '2:00:00', '16:00:00', '1 day, 0:00:00']
    >>> [str(rest_of("resources", attempts)) for attempts in (1, 2, 4, 5)]
    ['0:05:00', '0:10:00', '0:40:00', '1:00:00']
    """
    backoff = _BACKOFFS[kind]
    doublings = min(attempts - 1, 16)  # enough for the longest, and no number that grows for ever
    return min(backoff.first * (1 << doublings), backoff.longest)


def counted_on(failure: Failure, known: tuple[Failure, ...], *, at: datetime) -> Failure:
    """Return a failure with what failed before in its slices counted in, and its next try; `at` is when it failed."""
    before = tuple(item for item in known if is_kept(item.kind) and intersect((item.interval,), (failure.interval,)))
    attempts = 1 + max((item.attempts for item in before), default=0)
    return failure.replace(
        attempts=attempts,
        first_seen=min((failure.first_seen, *(item.first_seen for item in before))),
        # A whole minute, as it is shown.
        next_try=(at + rest_of(failure.kind, attempts)).replace(second=0, microsecond=0),
    )


def conditions_of(model: CompiledModel, facts: ModelFacts, execution_time: datetime) -> str:
    """Return a short hash of what decides beside code and inputs whether a build succeeds."""
    settings = model.settings
    # A time that is new in every run would have a failure tried in every run: once a day is enough.
    reads_time = any(name in model.reads_parameters for name in ("as_of", "execution_time"))
    reads_time |= any(check.reads_time for check in settings.checks)
    today = execution_time.date().isoformat() if reads_time else None
    columns = [(column.name, column.type, column.nullable) for column in settings.columns]
    # Rows of slices outside of the model's time stay, and a key of theirs may be refused in others.
    span = (settings.start, settings.end)
    decides: tuple[object, ...] = (settings.checks, settings.on_drift, settings.contract, columns, today, span)
    decides = (*decides, *limits_of(model))
    # Columns that a table cannot follow are refused where its history is kept, and else have it built again.
    kept = (settings.protect_history, settings.on_change)
    decides = decides if kept == (False, "rebuild") else (*decides, kept)
    # What every run built may be more than what is due: under another setting nobody would come to build it.
    slices = model.traits.slices
    decides = decides if slices is None or slices.rebuild == "stale" else (*decides, slices.rebuild)
    # A value that was missing where a check looks it up may be there in another version.
    return content_hash((*decides, facts.looked_up) if facts.looked_up else decides, size=8)


def limits_of(model: CompiledModel) -> tuple[AnomalySettings | BudgetSettings, ...]:
    """Return what stops a batch whose rows pass its checks; a model without such limits is judged as ever."""
    limits = (model.settings.anomaly, model.settings.budget)
    return tuple(limit for limit in limits if limit.stops)


def unchanged_since(model: CompiledModel, facts: ModelFacts, execution_time: datetime) -> tuple[Failure, ...]:
    """Return the failures that nothing has changed about: code, inputs, conditions; and the cause lies there."""
    now = (model.fingerprint, pins_of(model, facts.coverage), conditions_of(model, facts, execution_time))
    return tuple(
        item for item in facts.failures if is_kept(item.kind) and (item.fingerprint, item.pins, item.conditions) == now
    )


def given_up(model: CompiledModel, facts: ModelFacts, execution_time: datetime) -> tuple[Failure, ...]:
    """Return the failures that are not tried now: nothing has changed about them, and their rest is not over."""
    return tuple(item for item in unchanged_since(model, facts, execution_time) if is_resting(item, execution_time))


def is_resting(failure: Failure, execution_time: datetime) -> bool:
    """Say whether the next try of a failure is to come; a pass for a time before it failed is another question."""
    if failure.next_try is None:
        return False
    return (failure.tried_at is None or failure.tried_at <= execution_time) and execution_time < failure.next_try


def failed_ranges(failures: tuple[Failure, ...]) -> tuple[Interval, ...]:
    """Return the ranges of failures."""
    return merge(tuple(failure.interval for failure in failures))


def failed_units(failures: tuple[Failure, ...], grid: Grid) -> tuple[Interval, ...]:
    """Return the units of failures: of a unit that failed as far as it had come, no later part can be built alone."""
    return merge(tuple(widen(grid, failure.interval) for failure in failures))


def failing_of(failures: tuple[Failure, ...]) -> Failing | None:
    """Return several failures of a model as one: the most attempts, the first time, the next try that comes first."""
    if not failures:
        return None
    tries = [item.next_try for item in failures if item.next_try is not None]
    return Failing(
        attempts=max(item.attempts for item in failures),
        first_failed_at=min(item.first_seen for item in failures),
        next_try=min(tries) if len(tries) == len(failures) else None,
    )


def failed_before(facts: ModelFacts, spans: tuple[Interval, ...]) -> Failing | None:
    """Return how often some slices have failed since they were last built."""
    return failing_of(
        tuple(item for item in facts.failures if is_kept(item.kind) and intersect(spans, (item.interval,)))
    )


def with_attempts(facts: ModelFacts, action: Action) -> Action:
    """Return work that says how often it failed before."""
    if not isinstance(action, Build | Rebuild) or (failing := failed_before(facts, action.intervals)) is None:
        return action
    return action.replace(reason=f"{action.reason}; {failing.so_far()}")


def failure_in_words(failures: tuple[Failure, ...]) -> str:
    """Say how often something failed, when it is tried again, what makes it tried earlier, and what was wrong."""
    last, failing = failures[-1], failing_of(failures)
    said = last.message.removeprefix(f"`{last.model}`: ")
    failed = "failed" if failing is None else failing.in_words()
    return f"{failed}, or when code, settings or data change, or with `lamina retry {last.model}`: {said}"
