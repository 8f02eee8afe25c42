"""How much of a model one run may do: what lies beyond its budget is held for the next run, and never lost."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.relayout import is_rewrite
from lamina.values.budget import BudgetBreach, Limit, amount_alone
from lamina.values.grid import Grid, advance, count_units, floor_unit
from lamina.values.interval import Interval, merge, subtract
from lamina.values.names import ModelName
from lamina.values.plan import Action, Build, Hold, Rebuild
from lamina.values.value import Value
from lamina.values.words import counted


class Spent(Value, frozen=True):
    """What a run has done of one model so far."""

    slices: tuple[Interval, ...] = ()
    rows: int = 0
    seconds: float = 0.0
    has_gone_on: bool = True  # False: what it built, every run builds again


def within_slices(
    model: CompiledModel, decided: tuple[Action, ...], built: tuple[Interval, ...] = ()
) -> tuple[Action, ...]:
    """Return a decision cut to the slices that a run may build, the oldest first; the rest is held.

    What only may come to it is a bound, and is cut when it is decided again.
    """
    budget, grid = model.settings.budget, grid_of(model)
    if grid is None or not budget.stops or budget.max_slices is None:
        return decided
    left = max(budget.max_slices - _units(grid, built), 0)
    parts: list[Action] = []
    for action in decided:
        if not isinstance(action, Build | Rebuild) or is_rewrite(action) or action.is_deferred:
            parts.append(action)
            continue
        kept, held = _cut(action, grid, left=left, allowed=budget.max_slices)
        parts += [item for item in (kept, held) if item is not None]
        left -= _units(grid, kept.intervals) if kept is not None else 0
    return tuple(parts)


def _cut(action: Build | Rebuild, grid: Grid, *, left: int, allowed: int) -> tuple[Build | Rebuild | None, Hold | None]:
    """Return what of some work is within the budget, and what is held; a table that is replaced is not cut."""
    wanted = _units(grid, action.intervals)
    if wanted <= left:
        return action, None
    if action.mode == "replace_all":
        reason = (
            f"{action.reason}; a rebuild of {counted(wanted, 'slice')} in one step is more than `max_slices` allows "
            f"({allowed:,}): raise it, or set `on_breach` to `warn` for one run"
        )
        return None, Hold(model=action.model, intervals=action.intervals, reason=reason, limit="max_slices")
    first = _first_units(grid, merge(action.intervals), left)
    rest = subtract(action.intervals, first)
    is_asked = isinstance(action, Build) and action.is_asked
    held = Hold(
        model=action.model,
        intervals=rest,
        reason=f"{action.reason}; {beyond('max_slices', allowed)}",
        limit="max_slices",
        is_asked=is_asked,
    )
    return (action.replace(intervals=first) if first else None), held


def beyond(limit: Limit, allowed: int) -> str:
    """Say why something is left to the next run."""
    return f"left to the next run: `{limit}` allows {amount_alone(limit, allowed)} in one run"


def used_up(model: CompiledModel, spent: Spent) -> tuple[Limit, int] | None:
    """Return the limit that keeps a run from starting another batch of a model, with what it allows.

    Slices that a lookback builds again take their time and rows in every run: where they take all, no run came further.
    """
    budget = model.settings.budget
    if not budget.stops or not spent.has_gone_on:
        return None
    if budget.max_rows_written is not None and spent.rows >= budget.max_rows_written:
        return "max_rows_written", budget.max_rows_written
    if budget.max_seconds is not None and spent.seconds >= budget.max_seconds:
        return "max_duration", budget.max_seconds
    return None


def breaches_of(
    model: CompiledModel, spent: Spent, *, held: tuple[Hold, ...], refused_rows: int | None = None
) -> tuple[BudgetBreach, ...]:
    """Return the limits that a run has or would have passed; `refused_rows` were not published because of one."""
    budget, grid, name = model.settings.budget, grid_of(model), model.name
    waiting = {item.limit: item.intervals for item in held if item.limit is not None}
    slices = 1 if grid is None and spent.slices else _units(grid, (*spent.slices, *waiting.get("max_slices", ())))
    rows = spent.rows + (refused_rows or 0)
    found = (
        _breach(name, "max_slices", budget.max_slices, slices, is_held="max_slices" in waiting),
        _breach(name, "max_rows_written", budget.max_rows_written, rows, is_held="max_rows_written" in waiting),
        _breach(name, "max_duration", budget.max_seconds, int(spent.seconds), is_held="max_duration" in waiting),
    )
    refused = None if refused_rows is None else "max_rows_written"
    return tuple(item.replace(stopped=item.stopped or item.limit == refused) for item in found if item is not None)


def _breach(name: ModelName, limit: Limit, allowed: int | None, observed: int, *, is_held: bool) -> BudgetBreach | None:
    if allowed is None or (observed <= allowed and not is_held):
        return None
    return BudgetBreach(model=name, limit=limit, allowed=allowed, observed=observed, stopped=is_held)


def _units(grid: Grid | None, spans: tuple[Interval, ...]) -> int:
    return 0 if grid is None else sum(count_units(grid, span) for span in spans)


def _first_units(grid: Grid, spans: tuple[Interval, ...], count: int) -> tuple[Interval, ...]:
    """Return the first units of some ranges."""
    kept: list[Interval] = []
    for span in spans:
        if count <= 0:
            break
        end = min(advance(grid, floor_unit(grid, span.start), count=count), span.end)
        kept.append(Interval(span.start, end))
        count -= count_units(grid, kept[-1])
    return tuple(kept)
