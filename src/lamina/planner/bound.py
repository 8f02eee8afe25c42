"""The plan is a bound: what is decided again may be less than it lists, never more."""

from lamina.values.interval import Interval, intersect, merge, subtract
from lamina.values.plan import Action, Build, Hold, Rebuild


def within_plan(decided: tuple[Action, ...], planned: tuple[Action, ...]) -> tuple[Action, ...]:
    """Return the decision cut to what was planned; the rest is held for the next run."""
    works = tuple(action for action in planned if isinstance(action, Build | Rebuild))
    return tuple(part for action in decided for part in _cut(action, works))


def _cut(action: Action, works: tuple[Build | Rebuild, ...]) -> tuple[Action, ...]:
    if not isinstance(action, Build | Rebuild):
        return (action,)
    allowed = merge(tuple(span for work in works if _covers(work, action) for span in work.intervals))
    if isinstance(action, Rebuild) and subtract(action.intervals, allowed):
        return (_held(action, merge(action.intervals)),)
    done, rest = intersect(action.intervals, allowed), subtract(action.intervals, allowed)
    kept = (action.replace(intervals=done),) if done else ()
    return (*kept, _held(action, rest)) if rest else kept


def _covers(work: Build | Rebuild, action: Build | Rebuild) -> bool:
    """Say whether planned work includes what is decided: the same way of writing, or all rows instead of some."""
    return work.mode in (action.mode, "replace_all")


def _held(action: Build | Rebuild, spans: tuple[Interval, ...]) -> Hold:
    return Hold(model=action.model, intervals=spans, reason=f"{action.reason}; not in the plan, left to the next run")
