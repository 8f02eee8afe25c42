"""Tables whose files are lost: what building them again would cost, and whether this run may."""

from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.due import due_range, effective_start
from lamina.planner.kept import accepts_loss
from lamina.planner.words import spans_in_words
from lamina.strategies.history import keeps_history
from lamina.values.facts import ModelFacts
from lamina.values.interval import WHOLE, Interval, merge, subtract
from lamina.values.plan import Selection


def is_remade(model: CompiledModel, facts: ModelFacts, selection: Selection, execution_time: datetime) -> bool:
    """Say whether a table whose files are lost is to be built again in this run, without a look at them."""
    is_asked = selection.is_full_refresh and model.name not in selection.upstreams
    is_chosen = selection.models is None or model.name in selection.models
    if facts.target.status != "lost" or not is_asked or not is_chosen:
        return False
    is_loss = keeps_history(model.traits, model.inputs) or bool(_not_due(model, facts, execution_time))
    return accepts_loss(selection) or not is_loss


def lost_in_words(model: CompiledModel, facts: ModelFacts, execution_time: datetime) -> str:
    """Say which files are lost, and what rebuilding the table would cost."""
    lost = f"files of table `{model.target}` are lost: {facts.target.detail}"
    build = f"restore them, or build it again with `lamina run -s {model.name} --full-refresh"
    drop = f"`lamina drop {model.name}` removes it"
    grid, beside = grid_of(model), _not_due(model, facts, execution_time)
    if keeps_history(model.traits, model.inputs):
        return f"{lost}; {build} --accept-loss`, which drops the rows that its inputs no longer have; {drop}"
    if grid is not None and beside:
        return f"{lost}; {build} --accept-loss`, which drops what is not due: {spans_in_words(beside, grid)}; {drop}"
    return f"{lost}; {build}`; {drop}"


def _not_due(model: CompiledModel, facts: ModelFacts, execution_time: datetime) -> tuple[Interval, ...]:
    """Return the built ranges that no full refresh builds again: they are before the start, or after the end or now."""
    grid = grid_of(model)
    if grid is None:
        return ()
    start = effective_start(model, facts.coverage, grid=grid, parents=(), execution_time=execution_time)
    # What could be built at all, whether its cron has come or not.
    due = due_range(model, start, grid=grid, execution_time=execution_time, selection=Selection(ignore_cron=True))
    spans = (segment.interval for segment in facts.coverage.segments)
    built = merge(tuple(span for span in spans if span != WHOLE))  # a whole table has no ranges
    return subtract(built, (due,) if due is not None else ())
