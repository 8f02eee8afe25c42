"""History that may not be rebuilt, because its sources no longer hold it: what would do so is refused."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.kept import accepts_loss
from lamina.planner.relayout import is_rewrite
from lamina.planner.staleness import built_by_older_code, keeps_older_code
from lamina.values.coverage import Coverage
from lamina.values.facts import ModelFacts
from lamina.values.interval import Interval, intersect
from lamina.values.plan import Action, Block, Build, Rebuild, Selection


def refuse_rebuild(
    model: CompiledModel, facts: ModelFacts, decided: tuple[Action, ...], selection: Selection
) -> tuple[Action, ...]:
    """Return a decision without work that would build protected history again because of code or of a flag.

    New slices wait with it: built by other code, they would be beside history that this code has not built.
    """
    is_there = facts.coverage.segments and facts.target.status not in ("absent", "lost")
    if not model.settings.protect_history or not is_there or accepts_loss(selection):
        return decided
    works = tuple(item for item in decided if isinstance(item, Build | Rebuild) and not is_rewrite(item))
    older = () if keeps_older_code(model) else built_by_older_code(model, facts.coverage)
    by_code = tuple(item for item in works if intersect(item.intervals, older))
    by_flag = tuple(item for item in works if isinstance(item, Rebuild) and selection.is_full_refresh)
    if not by_code and not by_flag:
        return decided
    reason = _code_in_words(by_code[0]) if by_code else _flag_in_words(model)
    spans = tuple(span for item in works for span in item.intervals)
    others = tuple(item for item in decided if item not in works)
    return (Block(model=model.name, intervals=spans, reason=reason, blocked_by=(model.name,)), *others)


def kept_history(model: CompiledModel, coverage: Coverage, spans: tuple[Interval, ...]) -> str | None:
    """Say what keeps ranges from being built again only because columns changed in a way their table cannot follow."""
    if model.settings.protect_history:
        return "its history is protected (`protect_history`)"
    if keeps_older_code(model) and intersect(built_by_older_code(model, coverage), spans):
        return 'slices stay as older code built them (`on_change = "forward_only"`)'
    return None


def _code_in_words(action: Build | Rebuild) -> str:
    return (
        f"{action.reason}, but its history is protected (`protect_history`) and would be rebuilt; "
        'set `on_change = "forward_only"` to use the new code from now on, or bring the old code back'
    )


def _flag_in_words(model: CompiledModel) -> str:
    return (
        "its history is protected (`protect_history`), and `--full-refresh` would rebuild it; "
        f"give it up with `lamina run --full-refresh --accept-loss -s {model.name}`"
    )
