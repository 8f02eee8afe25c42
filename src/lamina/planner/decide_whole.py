"""Decide about a whole-table model: one slice, stale or not."""

from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.planner.due import cron_zone, next_release
from lamina.planner.failures import failing_of, failure_in_words, given_up
from lamina.planner.now import Now
from lamina.planner.readiness import Readiness, behind_failures, readiness
from lamina.planner.redone import always_in_words, always_new
from lamina.planner.staleness import (
    debts_in_words,
    full_refresh_in_words,
    parameter_reason,
    rebuild_reason,
)
from lamina.planner.time_position import due_later, time_column
from lamina.strategies.write import Write, write_of
from lamina.values.coverage import Coverage
from lamina.values.cron import next_tick
from lamina.values.facts import ModelFacts
from lamina.values.interval import WHOLE
from lamina.values.plan import UNCHANGED, Action, Block, Build, Mode, Rebuild, Selection, Skip, Wait
from lamina.values.words import listed


def decide_whole(model: CompiledModel, facts: ModelFacts, now: Now) -> tuple[Action, ...]:
    """Return the one action a whole-table model needs."""
    upstream = now.upstream
    asked = _asked_work(model, facts, now.selection)
    work = asked or _requested_work(model, facts) or _stale_work(model, facts, now)
    if work is None:
        return (_blocked(model, behind_failures(model, (WHOLE,), upstream=upstream)) or _unchanged(model),)
    is_scheduled = asked is None and not facts.requests and isinstance(work, Build)
    if is_scheduled and (wait := _not_released(model, facts, now)):
        return (wait,)
    if asked is None and (failures := given_up(model, facts, now.execution_time)):
        return (
            Block(
                model=model.name,
                intervals=(WHOLE,),
                reason=failure_in_words(failures),
                blocked_by=(model.name,),
                failing=failing_of(failures),
            ),
        )
    state = readiness(model, (WHOLE,), upstream=upstream, execution_time=now.execution_time)
    if (block := _blocked(model, state)) is not None:
        return (block,)
    if state.waiting:
        reason = f"{listed(state.waits_for)} is not built yet"
        return (Wait(model=model.name, intervals=(WHOLE,), reason=reason),)
    return (work,)


def _unchanged(model: CompiledModel) -> Skip:
    return Skip(model=model.name, reason=UNCHANGED)


def _blocked(model: CompiledModel, state: Readiness) -> Block | None:
    if not state.blocked:
        return None
    reason = f"{listed(state.blocked_by)} failed"
    return Block(model=model.name, intervals=(WHOLE,), reason=reason, blocked_by=state.blocked_by)


def _asked_work(model: CompiledModel, facts: ModelFacts, selection: Selection) -> Build | Rebuild | None:
    """Return the work that was requested of this run, which ignores cron and earlier failures."""
    if selection.is_full_refresh and facts.coverage.segments:
        reason = full_refresh_in_words(selection)
        return Rebuild(model=model.name, intervals=(WHOLE,), reason=reason)
    if not selection.is_forced or not _is_current(model, facts):
        return None
    return _whole_build(model, "requested with `--force`").replace(is_asked=True)


def _requested_work(model: CompiledModel, facts: ModelFacts) -> Build | None:
    """Return the work that was requested before and that no run has done yet, which ignores cron."""
    return _whole_build(model, "requested") if facts.requests and _is_current(model, facts) else None


def _is_current(model: CompiledModel, facts: ModelFacts) -> bool:
    """Return whether what the table holds can be built upon."""
    return bool(facts.coverage.segments) and rebuild_reason(model, facts, Selection()) is None


def _whole_build(model: CompiledModel, reason: str) -> Build:
    """Return a build from everything that the inputs hold."""
    return Build(
        model=model.name, intervals=(WHOLE,), reason=reason, mode=write_of(model.traits, model.driver, ()).mode
    )


def _stale_work(model: CompiledModel, facts: ModelFacts, now: Now) -> Build | Rebuild | None:
    coverage = facts.coverage
    if not coverage.segments:
        return Build(model=model.name, intervals=(WHOLE,), reason="first build", mode="replace_all")
    if (reason := rebuild_reason(model, facts, Selection())) is not None:
        return Rebuild(model=model.name, intervals=(WHOLE,), reason=reason)
    if debts := coverage.segments[0].debts:
        write = _beside_kept_rows(model, write_of(model.traits, model.driver, debts), coverage)
        mode = write.mode if time_column(model) is None else _by_time(write.mode, coverage)
        said = (debts_in_words(model, debts, now.touches), write.note, _watermark_in_words(coverage, mode))
        reason = "; ".join(filter(None, said))
        return Build(model=model.name, intervals=(WHOLE,), reason=reason, mode=mode, since=write.since)
    if (reason := _due_reason(coverage, now)) is not None:
        return Build(model=model.name, intervals=(WHOLE,), reason=reason, mode=_by_time("append", coverage))
    if (reason := parameter_reason(model, coverage, now.execution_time)) is not None:
        return _whole_build(model, reason)
    names = always_new(model)
    return _whole_build(model, always_in_words(names)) if names and now.redoes else None


def _by_time(mode: Mode, coverage: Coverage) -> Mode:
    """Return how new rows are written; without a watermark all rows are new."""
    position = coverage.time_position
    return mode if position is not None and position.at is not None else "replace_all"


def _watermark_in_words(coverage: Coverage, mode: Mode) -> str:
    """Say which rows of a driver are read that is read by its timestamps."""
    position = coverage.time_position
    is_partial = mode == "append" and position is not None
    return f"rows after {position.at} are loaded, and those at it if they changed" if is_partial and position else ""


def _due_reason(coverage: Coverage, now: Now) -> str | None:
    """Return why a driver that did not change is read again: rows that were too young are old enough now."""
    due = due_later(coverage)
    is_due = due is not None and due <= now.execution_time
    return "rows that `safety_lag` kept back may be read now" if is_due else None


def _not_released(model: CompiledModel, facts: ModelFacts, now: Now) -> Wait | None:
    """Return the wait for the next tick of a model that has a cron and was built since the last one."""
    cron, built = model.settings.cron, facts.coverage.built
    if cron is None or built is None or now.selection.ignore_cron:
        return None
    tick = next_tick(cron, cron_zone(model), datetime.fromisoformat(built))
    if tick is not None and tick <= now.execution_time:
        return None
    release = next_release(model, None, now.execution_time)
    until = f"{release:%Y-%m-%dT%H:%MZ}" if release is not None else "a tick of its cron"
    return Wait(model=model.name, intervals=(WHOLE,), reason=f"stale, and due at {until}", until=release)


def _beside_kept_rows(model: CompiledModel, write: Write, coverage: Coverage) -> Write:
    """Read everything where a key may come back below a kept row of a higher order, which new rows never replace."""
    upsert = model.traits.upsert
    # Under `keep` the table goes on as if nothing had left its driver.
    is_kept = any(use.is_driver and use.on_touch == "keep" for use in model.inputs)
    is_ordered = upsert is not None and bool(upsert.order_by) and not is_kept
    return write.replace(since=None) if is_ordered and write.since is not None and coverage.retained else write
