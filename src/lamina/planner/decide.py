"""Decide what one model needs now: the one function that a plan shows and the executor follows."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.decide_intervals import decide_intervals, schedule_of
from lamina.planner.decide_whole import decide_whole
from lamina.planner.failures import with_attempts
from lamina.planner.kept import accepts_loss, refuse_loss, with_kept
from lamina.planner.lost_tables import is_remade, lost_in_words
from lamina.planner.now import Now
from lamina.planner.protected import refuse_rebuild
from lamina.planner.ragged import moved_ends, say_moved, with_moved_ends
from lamina.planner.recover import accept, without_own_past
from lamina.planner.regrid import kept_in_words, say_kept
from lamina.planner.relayout import as_current, layout_reason, with_rewrite
from lamina.planner.stale_inputs import hold_back
from lamina.values.facts import ModelFacts
from lamina.values.interval import WHOLE
from lamina.values.plan import Action, Block, Build, Selection


def decide(model: CompiledModel, facts: ModelFacts, now: Now) -> tuple[Action, ...]:
    """Return what a model needs, from its folded coverage."""
    if model.name in now.selection.upstreams:
        now = now.replace(selection=Selection(ignore_cron=now.selection.ignore_cron), redoes=False)
    if (refusal := _refusal(model, facts, now)) is not None:
        return (refusal,)
    if facts.target.status == "foreign_write" and model.settings.on_foreign_write == "accept":
        facts = facts.replace(coverage=accept(model, facts.coverage, position=None))
    if facts.target.status == "lost" and model.reads_itself:
        facts = facts.replace(coverage=without_own_past(model, facts.coverage))
    moved, recorded = moved_ends(model, facts, now), facts.coverage
    facts = facts.replace(coverage=as_current(model, recorded))
    schedule = schedule_of(model, facts, now)
    kept = kept_in_words(model, recorded, facts.coverage, schedule.due if schedule is not None else None)
    facts = with_moved_ends(model, facts, now)
    grid = grid_of(model)
    decide_kind = decide_whole if grid is None else decide_intervals
    decided = tuple(with_attempts(facts, action) for action in decide_kind(model, facts, now))
    decided = decided if grid is None else say_moved(say_kept(decided, kept), moved, grid)
    if (reason := layout_reason(model, facts)) is not None:
        reason = f"{reason}; {kept}" if kept and not any(isinstance(action, Build) for action in decided) else reason
        decided = with_rewrite(model, facts, decided, reason=reason, execution_time=now.execution_time)
    decided = refuse_loss(model, facts, decided, now.selection)
    decided = refuse_rebuild(model, facts, decided, now.selection)
    decided = hold_back(model, decided, now.stale, now.selection)
    is_named = accepts_loss(now.selection)  # rows that are dropped are named; those that are kept, a run counts
    return tuple(with_kept(model, facts, action, now.selection) for action in decided) if is_named else decided


def foretell(model: CompiledModel, facts: ModelFacts, now: Now) -> tuple[Action, ...]:
    """Return what a model needs, for a plan: with the rows that a rebuild carries over."""
    decided = decide(model, facts, now)
    if accepts_loss(now.selection) and model.name not in now.selection.upstreams:
        return decided
    selection = now.selection.replace(is_loss_accepted=False)
    return tuple(with_kept(model, facts, action, selection) for action in decided)


def _refusal(model: CompiledModel, facts: ModelFacts, now: Now) -> Block | None:
    """Return why a table may not be written, with the ways out."""
    if facts.unreadable:
        return Block(model=model.name, intervals=(WHOLE,), reason=facts.unreadable, blocked_by=(model.name,))
    match facts.target.status:
        case "lost" if not is_remade(model, facts, now.selection, now.execution_time):
            reason = lost_in_words(model, facts, now.execution_time)
        case "unreadable":
            reason = (
                f"table `{model.target}` cannot be read, and nothing is recorded of it: {facts.target.detail}; "
                "restore its files, or give the model another table with `alias`"
            )
        case "unregistered":
            reason = (
                f"table `{model.target}` was dropped from the catalog just now, but its files still exist; "
                "the next command registers it again, and `lamina drop` drops it with its files"
            )
        case "unmarked":
            reason = (
                f"{facts.target.detail or 'table'} `{model.target}` exists and was not written by lamina; "
                "rename or drop it, or give the model another table with `alias`"
            )
        case "other_project":
            reason = (
                f"table `{model.target}` belongs to {facts.target.detail or 'another project'}; "
                "rename or drop it, or give the model another table with `alias`"
            )
        case "foreign_write" if model.settings.on_foreign_write == "fail":
            reason = (
                f"another writer changed `{model.target}`{_in_brackets(facts.target.detail)}; "
                f'keep their rows with `lamina accept {model.name}`, or set `on_foreign_write = "rebuild"`'
            )
        case _:
            return None
    return Block(model=model.name, intervals=(WHOLE,), reason=reason, blocked_by=(model.name,))


def _in_brackets(detail: str) -> str:
    return f" ({detail})" if detail else ""
