"""One model at one time, as `explain --execution-time` says it: what is due, what is built, what keeps the rest."""

from lamina.values.failing import Failing
from lamina.values.interval import Interval
from lamina.values.pending import Pending
from lamina.values.plan import Action
from lamina.values.result import Standing
from lamina.values.value import Value


class InputAtTime(Value, frozen=True):
    """An input at that time, and what it keeps from being built."""

    input: str
    is_model: bool  # else a source, which counts as complete up to the time
    status: Standing | None = None  # of a model
    reason: str = ""
    due: Interval | None = None
    built: tuple[Interval, ...] = ()
    waiting: tuple[Interval, ...] = ()  # slices of the reader that wait for it
    until: str | None = None  # when what they wait for becomes due, where that is known
    blocked: tuple[Interval, ...] = ()  # slices of the reader that read what failed


class RunOfModel(Value, frozen=True):
    """What an earlier run did, or did not do, to the model."""

    run_id: str
    command: str
    execution_time: str
    status: str
    reason: str


class AtTime(Value, frozen=True):
    """What a run at a time would do with a model and why, from the tables and inputs as they are now."""

    execution_time: str
    status: Standing
    reason: str
    schedule: str  # in words
    is_whole: bool  # it has no slices
    due: Interval | None = None  # what of it should exist by then; None: nothing
    next_due: str | None = None
    built: tuple[Interval, ...] = ()
    actions: tuple[Action, ...] = ()  # as in the plan
    pending: tuple[Pending, ...] = ()
    inputs: tuple[InputAtTime, ...] = ()
    failing: Failing | None = None
    last_run: RunOfModel | None = None  # the latest one up to that time that had to do with it
    timezone: str = "UTC"  # whose days the ranges are
