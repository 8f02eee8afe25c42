"""Make a failing schedule small: drop actions, calm runs and drop models while it still fails."""

from collections.abc import Callable, Iterator
from time import monotonic

from tests.simulation.actions import Run
from tests.simulation.schedule import Schedule


def shrink(schedule: Schedule, is_failing: Callable[[Schedule], bool], *, seconds: float) -> Schedule:
    """Return the smallest failing schedule found in the time given."""
    end = monotonic() + seconds
    smaller = True
    while smaller and monotonic() < end:
        smaller = False
        for candidate in _simpler(schedule):
            if monotonic() > end:
                break
            if is_failing(candidate):
                schedule, smaller = candidate, True
                break
    return schedule


def _simpler(schedule: Schedule) -> Iterator[Schedule]:
    actions = schedule.actions
    half = len(actions) // 2
    if half > 2:
        yield schedule.replace(actions=actions[half:])
        yield schedule.replace(actions=actions[:half])
    for at in range(len(actions) - 1, -1, -1):
        yield schedule.replace(actions=(*actions[:at], *actions[at + 1 :]))
    if schedule.project.holds:
        yield schedule.replace(project=schedule.project.replace(holds=False))
    designs = schedule.project.designs
    for at in range(len(designs) - 1, -1, -1):
        left = (*designs[:at], *designs[at + 1 :])
        if left and not any(designs[at].name in design.inputs for design in left):
            yield schedule.replace(project=schedule.project.replace(designs=left))
    for source, _ in schedule.project.detectors:
        yield schedule.replace(project=schedule.project.detecting(source, "auto"))
    for at, action in enumerate(actions):
        if isinstance(action, Run):
            calmer = ({"models": None}, {"trouble": None}, {"lost": None}, {"behind": 0})
            for calm in (Run(), *(action.replace(**change) for change in calmer)):
                if calm != action:
                    yield schedule.replace(actions=(*actions[:at], calm, *actions[at + 1 :]))
