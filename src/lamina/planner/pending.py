"""What of a model is not built or not read yet: the plan of this moment as ranges, each with reason and rows owed."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.due import next_release
from lamina.planner.failures import failed_before
from lamina.planner.owed_rows import in_all, rows_by_input
from lamina.planner.segments import covered, indebted
from lamina.planner.surplus import own_time, surplus_ranges
from lamina.planner.time_position import below_in_words, late_rows, time_column
from lamina.values.coverage import Coverage
from lamina.values.facts import ModelFacts
from lamina.values.grid import Grid, ceil_unit, widen
from lamina.values.interval import Interval, bound_or_none, intersect, merge, subtract
from lamina.values.pending import OwedRows, Pending, PendingStatus
from lamina.values.plan import Action, Block, Build, Hold, Rebuild, Rename, Skip, Wait
from lamina.values.result import ModelStatus
from lamina.values.row_counts import RowCounts

_INSTANT = timedelta(microseconds=1)


def model_pending(model: CompiledModel, facts: ModelFacts, actions: tuple[Action, ...]) -> tuple[Pending, ...]:
    """Return everything of a model that is not built or not read yet; facts with folded coverage.

    What a run would build, or leave and why, is taken from its actions; beside them are slices that changed or were
    requested before their time, which no action names. Ranges outside of the model's start and end are not pending.
    """
    asked = _asked(model, facts)
    listed = (*_of_actions(model, facts, actions), *_of_later(model, facts, actions, asked))
    placed = (_pending(model, facts.coverage, item, span, asked=asked) for item, span in listed)
    # Rows that are old enough by now are part of what is built.
    is_built = any(isinstance(action, Build | Rebuild) for action in actions)
    unread = (item for item in unread_rows(model, facts.coverage) if not (is_built and item.status == "waiting"))
    return (*placed, *unread)


def unread_rows(model: CompiledModel, coverage: Coverage) -> Iterator[Pending]:
    """Yield the rows of a driver that are not read: too young, or below the watermark when they came."""
    position, driver = coverage.time_position, model.driver
    if position is None or driver is None or time_column(model) is None:
        return
    if position.due_at is not None:
        said = _unplaced(model, f"`safety_lag`: rows of `{driver}` are not read yet", status="waiting")
        yield said.replace(due_at=bound_or_none(datetime.fromisoformat(position.due_at)))
    if (words := below_in_words(position)) is not None:
        late = OwedRows(input=driver, rows_on_time=0, rows_late=late_rows(position))
        reason = f"below_watermark: {words} in `{driver}`, which was read already; a full refresh reads everything"
        yield _unplaced(model, reason, status="held").replace(rows_on_time=0, rows_late=late.rows_late, inputs=(late,))


def pending_ranges(model: CompiledModel, coverage: Coverage, actions: Iterable[Action]) -> tuple[Pending, ...]:
    """Return the ranges of actions, with the rows that each of them waits for."""
    said = ((item, span) for action in actions for item in _said(model, action) for span in _spans(action))
    return tuple(_pending(model, coverage, item, span, asked=()) for item, span in said)


def built_again(coverage: Coverage, actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """Return what a run would build again or leave waiting or held; what was never built is not listed."""
    built = covered(coverage)
    withheld = tuple(action for action in actions if isinstance(action, Wait | Hold))
    works = (action for action in actions if isinstance(action, Build | Rebuild))
    return (
        *(
            work.replace(intervals=tuple(span for span in work.intervals if intersect(built, (span,))))
            for work in works
        ),
        *withheld,
    )


def unbuildable(status: ModelStatus) -> Pending:
    """Return all of a model that does not compile, that reads one that does not, or of which no version ever ran."""
    word: PendingStatus = status.status if status.status in ("failed", "blocked") else "not_built"
    return Pending(model=status.model, start=None, end=None, reason=status.reason, status=word)


def _of_actions(
    model: CompiledModel, facts: ModelFacts, actions: tuple[Action, ...]
) -> Iterator[tuple[Pending, Interval]]:
    """Yield the ranges of actions; what is to be built is cut where it was built before and where it was not."""
    built = covered(facts.coverage)
    for action in actions:
        for item in _said(model, action):
            if item.status != "stale":
                yield from ((item, span) for span in _spans(action))
                continue
            again = (("stale", part) for part in intersect(_spans(action), built))
            first = (("not_built", part) for part in subtract(_spans(action), built))
            for status, part in sorted((*again, *first), key=lambda found: found[1]):
                yield item.replace(status=status, failing=failed_before(facts, (part,))), part


def _of_later(
    model: CompiledModel, facts: ModelFacts, actions: tuple[Action, ...], asked: tuple[Interval, ...]
) -> Iterator[tuple[Pending, Interval]]:
    """Yield the slices that changed or were requested before they are due: they are built then."""
    grid, coverage = grid_of(model), facts.coverage
    if grid is None:
        return
    named = (*_spans(*actions), *surplus_ranges(model, coverage))
    owed = subtract(indebted(coverage), named)
    for span in owed:
        yield _later(model, grid, span, "changed after it was built, and is built again when it is due"), span
    for span in subtract(asked, (*named, *owed)):
        yield _later(model, grid, span, "requested, and is built when it is due"), span


def _later(model: CompiledModel, grid: Grid, span: Interval, reason: str) -> Pending:
    at = next_release(model, grid, ceil_unit(grid, span.end) - _INSTANT)
    until = "" if at is None else f" at {at:%Y-%m-%dT%H:%MZ}"
    due_at = None if at is None else bound_or_none(at)
    return _unplaced(model, reason + until, status="waiting").replace(due_at=due_at)


def _asked(model: CompiledModel, facts: ModelFacts) -> tuple[Interval, ...]:
    """Return the slices that were requested and not built since, as far as the model has them."""
    grid = grid_of(model)
    if grid is None:
        return facts.requests
    return intersect(merge(tuple(widen(grid, span) for span in facts.requests)), own_time(model, facts.coverage))


def _said(model: CompiledModel, action: Action) -> tuple[Pending, ...]:
    """Return what an action says of its ranges, without a range; nothing of one that leaves nothing to do."""
    match action:
        case Skip() | Rename():
            return ()
        case Wait():
            until = None if action.until is None else bound_or_none(action.until)
            return (_unplaced(model, action.reason, status="waiting").replace(due_at=until),)
        case Hold():
            return (_unplaced(model, action.reason, status="held"),)
        case Block():
            is_own = model.name in action.blocked_by
            said = _unplaced(model, action.reason, status="failed" if is_own else "blocked")
            others = tuple(str(name) for name in action.blocked_by if name != model.name)
            return (said.replace(blocked_by=others, failing=action.failing),)
        case Build() | Rebuild():
            return (_unplaced(model, action.reason, status="stale").replace(is_deferred=action.is_deferred),)


def _unplaced(model: CompiledModel, reason: str, *, status: PendingStatus) -> Pending:
    zone = model.settings.timezone
    return Pending(model=model.name, start=None, end=None, reason=reason, status=status, timezone=zone)


def _pending(
    model: CompiledModel, coverage: Coverage, said: Pending, span: Interval, *, asked: tuple[Interval, ...]
) -> Pending:
    """Place what is said at a range, with the rows that it waits for."""
    by_input = rows_by_input(coverage, span, inputs=model.inputs)
    rows = _counted("", in_all(by_input))
    return said.replace(
        start=bound_or_none(span.start),
        end=bound_or_none(span.end),
        rows_on_time=rows.rows_on_time,
        rows_late=rows.rows_late,
        oldest_load=rows.oldest_load,
        inputs=tuple(_counted(name, found) for name, found in by_input.items()),
        is_requested=bool(intersect((span,), asked)),
    )


def _counted(name: str, rows: RowCounts | None) -> OwedRows:
    if rows is None:
        return OwedRows(input=name)
    oldest = None if rows.oldest_load is None else bound_or_none(rows.oldest_load)
    return OwedRows(input=name, rows_on_time=rows.on_time, rows_late=rows.late, oldest_load=oldest)


def _spans(*actions: Action) -> tuple[Interval, ...]:
    return tuple(span for action in actions if not isinstance(action, Skip | Rename) for span in action.intervals)
