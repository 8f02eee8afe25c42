"""Run random schedules for a while; a failure is made small, so that a person can read it."""

import signal
from dataclasses import dataclass
from time import monotonic
from types import FrameType

from tests.simulation.schedule import Schedule, random_schedule
from tests.simulation.shrink import shrink
from tests.simulation.simulate import simulate

SHRINK_SECONDS = 30.0


@dataclass(frozen=True)
class Failed:
    """A schedule that broke an invariant, as small as it got."""

    seed: int
    schedule: Schedule
    error: str

    def __str__(self) -> str:
        return f"seed {self.seed} fails:\n{self.schedule}\n{self.error}"


@dataclass(frozen=True)
class Explored:
    """How many schedules ran, and the first that failed."""

    seed: int
    schedules: int
    seconds: float
    failed: Failed | None


def explore(seed: int, *, seconds: float, limit: int | None = None) -> Explored:
    """Run the schedules of consecutive seeds until the time is over, or one fails."""
    started = monotonic()
    count = 0
    while monotonic() - started < seconds and (limit is None or count < limit):
        schedule = random_schedule(seed + count)
        count += 1
        if error_of(schedule):
            return Explored(seed, count, monotonic() - started, _smallest(seed + count - 1, schedule))
    return Explored(seed, count, monotonic() - started, None)


def error_of(schedule: Schedule) -> str:
    """Return what goes wrong in a schedule, or nothing."""
    try:
        simulate(schedule)
    except Exception as error:  # noqa: BLE001  # whatever escapes a run is a finding
        return f"{type(error).__name__}: {error}"
    return ""


def error_within(schedule: Schedule, *, seconds: float) -> str:
    """Return what goes wrong in a schedule, where not ending in time is wrong too."""

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"the schedule does not end within {seconds} s")

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return error_of(schedule)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _smallest(seed: int, schedule: Schedule) -> Failed:
    kind = _kind(error_of(schedule))

    def is_failing(candidate: Schedule) -> bool:
        return _kind(error_of(candidate)) == kind

    small = shrink(schedule, is_failing, seconds=SHRINK_SECONDS)
    return Failed(seed, small, error_of(small))


def _kind(error: str) -> str:
    """Return the beginning of an error: its type and the invariant, which shrinking must keep."""
    return " ".join(error.split()[:3])
