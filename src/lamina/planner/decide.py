"""Decide what one model needs now: the one function that the explainer prints and the executor runs."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.decide_intervals import decide_intervals
from lamina.planner.decide_whole import decide_whole
from lamina.planner.occasion import Occasion
from lamina.planner.recover import accept
from lamina.values.facts import ModelFacts
from lamina.values.interval import WHOLE
from lamina.values.plan import Action, Block, Selection


def decide(model: CompiledModel, facts: ModelFacts, occasion: Occasion) -> tuple[Action, ...]:
    """Return what a model needs, from its folded coverage."""
    if (refusal := _refusal(model, facts)) is not None:
        return (refusal,)
    if facts.target.status == "foreign_write" and model.settings.on_foreign_write == "accept":
        facts = facts.replace(coverage=accept(model, facts.coverage, position=None))
    if model.name in occasion.selection.upstreams:
        occasion = occasion.replace(selection=Selection(ignore_cron=occasion.selection.ignore_cron))
    decide_kind = decide_whole if grid_of(model) is None else decide_intervals
    return decide_kind(model, facts, occasion)


def _refusal(model: CompiledModel, facts: ModelFacts) -> Block | None:
    """Return why a table may not be written, with the ways out."""
    match facts.target.status:
        case "unmarked":
            reason = (
                f"table `{model.target}` exists and was not written by lamina; "
                "rename or drop it, or give the model another table with `alias`"
            )
        case "other_project":
            reason = (
                f"table `{model.target}` belongs to {facts.target.detail or 'another project'}; "
                "rename or drop it, or give the model another table with `alias`"
            )
        case "foreign_write" if model.settings.on_foreign_write == "fail":
            reason = (
                f"somebody else wrote to `{model.target}`{_in_brackets(facts.target.detail)}; "
                f'keep their rows with `lamina accept {model.name}`, or set `on_foreign_write = "rebuild"`'
            )
        case _:
            return None
    return Block(model=model.name, intervals=(WHOLE,), reason=reason, blocked_by=(model.name,))


def _in_brackets(detail: str) -> str:
    return f" ({detail})" if detail else ""
