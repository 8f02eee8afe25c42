"""Rows that only the table holds: what a rebuild carries over, what it would lose, and how a plan says so."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.segments import covered
from lamina.planner.time_position import time_column
from lamina.planner.words import spans_in_words
from lamina.values.coverage import Coverage
from lamina.values.facts import ModelFacts
from lamina.values.interval import WHOLE, Interval, intersect, merge, subtract
from lamina.values.names import Position, folded
from lamina.values.plan import Action, Block, Build, Rebuild, Selection
from lamina.values.words import counted, listed


def accepts_loss(selection: Selection) -> bool:
    """Say whether rows that only a table holds may be dropped."""
    return selection.is_full_refresh and selection.is_loss_accepted


def carried_ranges(model: CompiledModel, coverage: Coverage, span: Interval) -> tuple[Interval, ...]:
    """Return where a whole rebuild of a span carries rows over: all of a whole table, else what is built beside it."""
    if not coverage.segments:
        return ()
    return (WHOLE,) if grid_of(model) is None else subtract(covered(coverage), (span,))


def last_own_version(coverage: Coverage) -> Position | None:
    """Return the version before another program wrote to a table; None where no other writer did."""
    debts = (debt for segment in coverage.segments for debt in segment.debts)
    return next((debt.since for debt in debts if debt.is_foreign), None)


def refuse_loss(
    model: CompiledModel, facts: ModelFacts, decided: tuple[Action, ...], selection: Selection
) -> tuple[Action, ...]:
    """Return a decision without builds that would drop rows which only the table holds, unless they are given up."""
    is_carried = bool(model.traits.kept_by) or facts.target.status == "absent"
    if is_carried or accepts_loss(selection):
        return decided
    return tuple(part for action in decided for part in _without_loss(model, facts.coverage, action))


def _without_loss(model: CompiledModel, coverage: Coverage, action: Action) -> tuple[Action, ...]:
    """Return what of an action may be done, and a block of the rest; new rows beside the old ones drop nothing."""
    if not isinstance(action, Build | Rebuild) or action.mode not in ("replace_all", "replace_slices"):
        return (action,)
    held, is_whole = intersect(merge(action.intervals), coverage.held), action.mode == "replace_all"
    if held and is_whole:
        return (_refused(model, action.intervals, _held_in_words(model, action)),)
    if coverage.retained and is_whole:
        return (_refused(model, action.intervals, _kept_in_words(model, coverage.retained)),)
    if is_whole and coverage.keeps and may_hold_more(coverage):
        return (_refused(model, action.intervals, _unknown_in_words(model)),)
    if not held:
        return (action,)
    rest, block = subtract(action.intervals, held), _refused(model, held, _held_in_words(model, action))
    return (action.replace(intervals=rest), block) if rest else (block,)


def may_hold_more(coverage: Coverage) -> bool:
    """Say whether inputs changed or lost rows since the last build, so that the table may be the last to hold some."""
    debts = (debt for segment in coverage.segments for debt in segment.debts)
    return bool(coverage.not_followed) or any(not debt.is_append for debt in debts)


def _refused(model: CompiledModel, spans: tuple[Interval, ...], reason: str) -> Block:
    return Block(model=model.name, intervals=spans, reason=reason, blocked_by=(model.name,))


def _kept_in_words(model: CompiledModel, retained: int) -> str:
    strategy = model.traits.name
    return (
        f"the table holds {counted(retained, 'row')} that its query no longer gives, and the new strategy ({strategy}) "
        f"does not keep them; {_way_out(model)}, or bring the old strategy back"
    )


def _unknown_in_words(model: CompiledModel) -> str:
    strategy = model.traits.name
    return (
        "inputs changed or lost rows since the last build, so there may be rows that only the table holds, "
        f"and the new strategy ({strategy}) does not keep them; run once with the old strategy, or {_way_out(model)}"
    )


def _held_in_words(model: CompiledModel, action: Build | Rebuild) -> str:
    why = '`on_touch = "keep"` saved them when its input changed or removed them'
    if time_column(model) is not None:
        why = (
            f"`{model.driver}` changed or removed rows that were read, and they are not looked for below the watermark"
        )
    return (
        f"{action.reason}, but a rebuild would drop rows that only the table holds: {why}; {_way_out(model)}, "
        "or go back to what was built"
    )


def _way_out(model: CompiledModel) -> str:
    return f"drop them with `lamina run --full-refresh --accept-loss -s {model.name}`"


def with_kept(model: CompiledModel, facts: ModelFacts, action: Action, selection: Selection) -> Action:
    """Return a rebuild that says which rows it carries over, or drops."""
    is_rebuild = isinstance(action, Rebuild) and action.mode == "replace_all"
    if not isinstance(action, Rebuild) or not is_rebuild or facts.target.status in ("absent", "lost"):
        return action
    verb = "dropped" if accepts_loss(selection) else "carried over"
    held, retained = intersect(merge(action.intervals), facts.coverage.held), facts.coverage.retained
    if model.traits.kept_by or held or retained:
        retained = None if held else retained
        known = "" if retained is None else f" ({retained or 'none'} when it was last read in full)"
        columns = "" if retained == 0 or accepts_loss(selection) else _columns_in_words(model, facts, selection)
        reason = f"{action.reason}; rows that only the table holds are {verb}{known}{columns}"
        return action.replace(reason=reason, rows_carried=0 if accepts_loss(selection) else retained)
    grid = grid_of(model)
    beside = subtract(covered(facts.coverage), action.intervals)
    if grid is None or not beside:
        return action
    columns = "" if accepts_loss(selection) else _columns_in_words(model, facts, selection)
    return action.replace(reason=f"{action.reason}; {spans_in_words(beside, grid)}: not due, {verb}{columns}")


def _columns_in_words(model: CompiledModel, facts: ModelFacts, selection: Selection) -> str:
    """Say what becomes of columns of the table that the query does not have; nothing where that is not known."""
    given = {folded(column.name) for column in model.columns or ()}
    left = tuple(name for name in facts.columns if folded(name) not in given)
    if not given or not left:
        return ""
    is_renewed = selection.is_full_refresh and model.name not in selection.upstreams
    fate = "dropped" if is_renewed else "kept for values of these rows, null in all others"
    return f"; {listed(left)} left the query: {fate}"
