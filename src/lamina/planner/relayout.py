"""A change of layout alone: the rows that are there are written again, and nothing is computed."""

from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.planner.failures import failing_of, failure_in_words, given_up
from lamina.planner.logic import built_by
from lamina.planner.recover import is_foreign
from lamina.planner.regrid import on_new_grid
from lamina.planner.segments import covered, fuse
from lamina.values.coverage import Coverage, Segment
from lamina.values.facts import ModelFacts
from lamina.values.plan import Action, Block, Build, Rebuild, Skip


def layout_reason(model: CompiledModel, facts: ModelFacts) -> str | None:
    """Return which settings of the layout the table does not have yet; None where it has all of them."""
    written = facts.coverage.layout
    if written is None or not facts.coverage.segments or facts.target.status in ("absent", "lost"):
        return None
    changed = [name for name, value in sorted(model.layout.items()) if written.get(name) != value]
    return f"the layout changed: {', '.join(changed)}" if changed else None


def as_current(model: CompiledModel, coverage: Coverage) -> Coverage:
    """Return coverage in which ranges of code with another layout or grid count as built by the current code."""
    alike = {
        logic.fingerprint
        for logic in coverage.logics
        if logic.rows is not None and logic.rows == model.rows_fingerprint
    } - {model.fingerprint}
    if alike:
        relabelled = (_relabelled(item, model) if item.logic in alike else item for item in coverage.segments)
        coverage = built_by(model, coverage, fuse(tuple(relabelled)))
    return on_new_grid(model, coverage)


def with_rewrite(
    model: CompiledModel, facts: ModelFacts, decided: tuple[Action, ...], *, reason: str, execution_time: datetime
) -> tuple[Action, ...]:
    """Return a decision with the rewrite that a new layout needs; what writes all rows does it by the way."""
    if failures := given_up(model, facts, execution_time):
        return (
            Block(
                model=model.name,
                intervals=covered(facts.coverage),
                reason=f"{reason}; {failure_in_words(failures)}",
                blocked_by=(model.name,),
                failing=failing_of(failures),
            ),
        )
    works = tuple(action for action in decided if isinstance(action, Build | Rebuild))
    # A table that reads itself is put back with its first slice: what another writer left is not laid out before that.
    if any(work.mode == "replace_all" for work in works) or (works and is_foreign(facts.coverage)):
        return tuple(
            action.replace(reason=f"{action.reason}; {reason}") if isinstance(action, Build | Rebuild) else action
            for action in decided
        )
    rewrite = Rebuild(model=model.name, intervals=covered(facts.coverage), reason=reason, mode="rewrite")
    return (rewrite, *(action for action in decided if not isinstance(action, Skip)))


def is_rewrite(action: Action) -> bool:
    """Say whether an action only writes the rows that are there again."""
    return isinstance(action, Rebuild) and action.mode == "rewrite"


def _relabelled(segment: Segment, model: CompiledModel) -> Segment:
    return segment.replace(logic=model.fingerprint)
