"""What happens during a run, reported as it happens; displays and logs consume these."""

from lamina.values.interval import Interval
from lamina.values.names import ModelName, RunId
from lamina.values.value import Value


class RunStarted(Value, frozen=True, tag="run_started", tag_field="event"):
    """A run has decided what to do; the estimate comes from earlier runs."""

    run_id: RunId
    steps: int
    estimated_seconds: float | None = None


class SessionStarting(Value, frozen=True, tag="session_starting", tag_field="event"):
    """Spark is being started, which takes seconds."""


class SessionReady(Value, frozen=True, tag="session_ready", tag_field="event"):
    """Spark answers."""

    seconds: float


class StepStarted(Value, frozen=True, tag="step_started", tag_field="event"):
    """A model began to build."""

    model: ModelName
    intervals: tuple[Interval, ...]
    reason: str


class StepProgress(Value, frozen=True, tag="step_progress", tag_field="event"):
    """A building model reached another phase, or finished some Spark tasks."""

    model: ModelName
    phase: str
    done: int = 0
    total: int = 0


class StepFinished(Value, frozen=True, tag="step_finished", tag_field="event"):
    """A model ended, in whatever way."""

    model: ModelName
    status: str
    reason: str
    rows_written: int = 0
    seconds: float = 0.0
    intervals: tuple[Interval, ...] = ()
    timezone: str = "UTC"


class Retrying(Value, frozen=True, tag="retrying", tag_field="event"):
    """A transient failure is tried again after a pause."""

    model: ModelName
    attempt: int
    seconds: float
    error: str


class Recovered(Value, frozen=True, tag="recovered", tag_field="event"):
    """What an earlier run left was found and cleaned up."""

    detail: str


class UnitTestFinished(Value, frozen=True, tag="unit_test_finished", tag_field="event"):
    """A unit test ended; it is the `number`th of `total`."""

    name: str
    model: ModelName
    status: str
    number: int
    total: int
    seconds: float


Event = (
    RunStarted
    | SessionStarting
    | SessionReady
    | StepStarted
    | StepProgress
    | StepFinished
    | Retrying
    | Recovered
    | UnitTestFinished
)
