"""The state of a model for its readers, from its coverage and from what is decided or has happened in this run."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.decide_intervals import schedule_of
from lamina.planner.due import next_release
from lamina.planner.failures import failed_ranges, unchanged_since
from lamina.planner.now import Now
from lamina.planner.readiness import Upstream
from lamina.planner.relayout import is_rewrite
from lamina.planner.segments import covered
from lamina.planner.staleness import clean_ranges
from lamina.values.facts import ModelFacts
from lamina.values.interval import MAX, MIN, WHOLE, Interval, intersect, merge, subtract
from lamina.values.names import ModelName
from lamina.values.plan import Action, Block, Build, Hold, Rebuild, Wait


def upstream_of(model: CompiledModel, facts: ModelFacts, now: Now, *, actions: tuple[Action, ...]) -> Upstream:
    """Return the state of a model.

    While planning, `actions` are its decision. During a run they are what is left of it: nothing for what was
    published, a `Block` naming the model itself for what failed.
    """
    schedule = schedule_of(model, facts, now)
    due = schedule.due if schedule is not None else WHOLE
    # What is clean was fixed after it failed.
    mended = clean_ranges(model, facts.coverage)
    # What was not tried in this run has still failed, also where its time to be tried again has come.
    failed = failed_ranges(unchanged_since(model, facts, now.execution_time)) if not actions else ()
    blocks = tuple(action for action in actions if isinstance(action, Block))
    withheld = tuple(span for item in blocks for span in item.intervals)
    if not actions and facts.target.status in ("lost", "unreadable", "unregistered"):
        withheld = (WHOLE,)
    return Upstream(
        name=model.name,
        grid=schedule.grid if schedule is not None else None,
        start=schedule.start if schedule is not None else None,
        end=schedule.end if schedule is not None else None,
        due=due,
        built=_built(facts, actions),
        failed=merge((*subtract(failed, mended), *_within(withheld, due))),
        waiting=merge(tuple(span for item in actions if isinstance(item, Wait | Hold) for span in item.intervals)),
        failing=_failing(model, blocks),
        next_due=next_release(model, schedule.grid, now.execution_time) if schedule is not None else None,
    )


def _built(facts: ModelFacts, actions: tuple[Action, ...]) -> tuple[Interval, ...]:
    planned = tuple(span for item in actions if isinstance(item, Build | Rebuild) for span in item.intervals)
    if any(isinstance(item, Rebuild) and not is_rewrite(item) for item in actions):
        return merge(planned)
    there = covered(facts.coverage) if facts.target.status != "absent" else ()
    return merge((*there, *planned))


def _within(spans: tuple[Interval, ...], due: Interval | None) -> tuple[Interval, ...]:
    """Cut blocked ranges to what is due; a table that may not be written at all is blocked in all of it."""
    everything = due if due is not None else Interval(MIN, MAX)
    return intersect(spans, (everything,)) if WHOLE in spans else spans


def _failing(model: CompiledModel, blocks: tuple[Block, ...]) -> tuple[ModelName, ...]:
    names = {name for block in blocks for name in block.blocked_by or (model.name,)}
    return tuple(sorted(names)) if names else (model.name,)
