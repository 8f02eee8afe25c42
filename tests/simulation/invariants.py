"""The invariants, each as a check over a world that raises `Violation`."""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime, timedelta

from tests.simulation.actions import Run
from tests.simulation.algebra import DAY, Relation, Row
from tests.simulation.differences import days_of
from tests.simulation.engine import look, run_engine
from tests.simulation.faults import Process
from tests.simulation.lake import bag
from tests.simulation.memory_warehouse import MemoryWarehouse
from tests.simulation.oracle import (
    BEGIN,
    current_rows,
    difference,
    doubled_rows,
    due_of,
    holds_ids_twice,
    is_read_by_time,
    recompute,
    slice_of,
    unloaded_rows,
    wrong_keys,
    wrong_quarantine,
    wrong_slices,
)
from tests.simulation.project import EVENTS, FILES, NAMES, ONE_ID, STALE_AFTER, Project
from tests.simulation.row_writes import cut_rows
from tests.simulation.time_oracle import unread_times, wrong_times
from tests.simulation.watch import Violation
from tests.simulation.world import FOREIGN_KEY, World

from lamina.compiler.graph import CompiledModel, Graph, InputUse
from lamina.errors import LaminaError
from lamina.executor.internal import InternalFailure
from lamina.planner.asked import asked_slices
from lamina.planner.axis import grid_of
from lamina.planner.failures import limits_of
from lamina.planner.redone import always_new
from lamina.planner.renamed_models import names_of, under_former_names
from lamina.planner.segments import covered
from lamina.planner.staleness import stale_ranges
from lamina.project.strategy import TimeInterval
from lamina.state.port import StateView
from lamina.state.renamed import pending_of, view_now
from lamina.values.coverage import Coverage
from lamina.values.facts import Failure
from lamina.values.grid import count_units
from lamina.values.interval import MAX, WHOLE, Interval, intersect, merge, subtract
from lamina.values.names import ModelName, TableName, quarantine_of
from lamina.values.plan import Build, Rebuild
from lamina.values.result import RunResult
from lamina.values.row_counts import total
from lamina.warehouse.failure import WarehouseFailure


def check_result(result: RunResult | LaminaError, process: Process) -> None:
    """I7, I9, I10, I11: rows are accounted for, work was planned, one table ends no run, every fault was foreseen."""
    if isinstance(result, WarehouseFailure):
        raise Violation(f"I10 one table ended the whole run: {result.message}")
    steps = result.materializations if isinstance(result, RunResult) else ()
    for step in steps:
        if step.error is not None and step.error.code == InternalFailure.code:
            raise Violation(f"I11 {step.model}: {step.error.message}")
        if step.rows_written != step.rows_inserted + step.rows_replaced + step.rows_reopened:
            raise Violation(f"I7 {step.model} does not say where its rows went: {step}")
        planned = _planned(process, step.model)
        if step.status == "completed" and subtract(step.intervals, planned):
            raise Violation(f"I9 {step.model} built {step.intervals}, planned were {planned}")


def check_forward(project: Project, action: Run, process: Process) -> None:
    """A change of code that goes forward only is no reason to build a day again; `project` is as the run read it."""
    forward = {design.name for design in project.designs if design.is_forward}
    for work in (work for name in forward for work in _work_of(process, name)):
        if isinstance(work, Rebuild) and work.reason == "the query changed":
            raise Violation(f"{work.model} is built again, and its changes go forward only: {action}")


def check_ready(world: World, result: RunResult | LaminaError, process: Process) -> None:
    """I12: no slice is built before the time is over that it reads; a rewrite computes nothing."""
    graph, _ = world.compile()
    view = view_of(world)
    steps = result.materializations if isinstance(result, RunResult) else ()
    for step in steps:
        model = graph.model(ModelName(step.model))
        is_rewrite = any(action.mode == "rewrite" for action in _work_of(process, step.model))
        if step.status != "completed" or is_rewrite or not isinstance(model.settings.strategy, TimeInterval):
            continue
        if any(span.end > world.now for span in step.intervals):
            raise Violation(f"I12 {step.model} built {step.intervals} before they were over")
        for use in (use for use in model.inputs if _is_in_time(graph, use)):
            if any(_lacking_ahead(world, view, use, span) for span in step.intervals):
                ahead = f"{use.after_seconds} s of {use.name}"
                raise Violation(f"I12 {step.model} built {step.intervals} before {ahead} after them were over")


def _lacking_ahead(world: World, view: StateView, use: InputUse, span: Interval) -> tuple[Interval, ...]:
    """Return what a slice that is over reads of an input after now, and is not there.

    Where the clock went back, days of a model after now are there: they were built when they were over. Of a source
    nothing says so.
    """
    end = span.end + timedelta(seconds=use.after_seconds)
    later = (Interval(world.now, end),) if end > world.now else ()
    record = view.models.get(ModelName(use.name)) if use.is_model else None
    return later if record is None else subtract(later, covered(record.coverage))


def check_redone(world: World, result: RunResult | LaminaError) -> None:
    """A run builds what `rebuild` asks of every run: finished days of models that only read sources."""
    graph, _ = world.compile()
    steps = result.materializations if isinstance(result, RunResult) else ()
    view = view_of(world)
    for step in (item for item in steps if item.status in ("completed", "skipped", "held")):
        model = graph.model(ModelName(step.model))
        strategy, due = model.settings.strategy, due_of(graph, model, world.now)
        is_ready = not any(use.is_model or use.after_seconds for use in model.inputs)
        is_ready = is_ready and not (world.project.holds and any(str(use.name) == EVENTS.name for use in model.inputs))
        is_always = bool(always_new(model))
        if is_always and is_ready and grid_of(model) is None and step.status == "skipped":
            raise Violation(f"{step.model} reads a source that every run is to read again: {step}")
        is_redone = isinstance(strategy, TimeInterval) and (is_always or strategy.rebuild != "stale")
        if not isinstance(strategy, TimeInterval) or due is None or not is_redone or not is_ready:
            continue
        if strategy.granularity != "day":  # the last units are others then
            continue
        today = world.now.replace(hour=0, minute=0, second=0, microsecond=0)
        first = (
            due.start if is_always or strategy.rebuild == "always" else today - (int(strategy.rebuild[-1]) - 1) * DAY
        )
        wanted = intersect((Interval(first, today),) if first < today else (), (due,))
        kept = view.models[model.name].coverage.held if model.name in view.models else ()
        if left := subtract(wanted, (*step.intervals, *kept)):
            raise Violation(f"{step.model} did not build {left}, which every run is to build: {step}")


def _is_in_time(graph: Graph, use: InputUse) -> bool:
    """Return whether an input grows with time: a source, or a table that is built in days."""
    if not use.is_model:
        return True
    return isinstance(graph.model(ModelName(use.name)).settings.strategy, TimeInterval)


def check_budget(world: World, result: RunResult | LaminaError, process: Process) -> None:
    """No run does more of a model than its budget allows; a rewrite builds nothing."""
    graph, _ = world.compile()
    steps = result.materializations if isinstance(result, RunResult) else ()
    for step in steps:
        model = graph.model(ModelName(step.model))
        budget, grid = model.settings.budget, grid_of(model)
        is_rewrite = any(action.mode == "rewrite" for action in _work_of(process, step.model))
        if not budget.stops or step.status != "completed" or is_rewrite:
            continue
        units = sum(count_units(grid, span) for span in step.intervals) if grid is not None else 0
        if budget.max_slices is not None and units > budget.max_slices:
            raise Violation(f"{step.model} built {units} slices in one run: {step.intervals}")
        if budget.max_rows_written is not None and step.rows_written > budget.max_rows_written:
            raise Violation(f"{step.model} wrote {step.rows_written} rows in one run")


def check_going_on(world: World, result: RunResult | LaminaError, before: StateView) -> None:
    """A run that holds something for a budget, and builds something, leaves less for the next one."""
    breaches = result.budget_breaches if isinstance(result, RunResult) else ()
    steps = {step.model: step for step in result.materializations} if isinstance(result, RunResult) else {}
    after = view_of(world)
    for name in {item.model for item in breaches if item.stopped and steps[item.model].status == "completed"}:
        was, now = (_left_to_do(view, name) for view in (before, after))
        if was == now:
            raise Violation(f"{name} built {steps[name].intervals} again, and will never come to the rest")


def _left_to_do(view: StateView, name: ModelName) -> object:
    record = view.models.get(name)
    return (record.coverage.segments if record is not None else (), view.requests.get(name, ()))


def check_held(world: World, result: RunResult | LaminaError, process: Process) -> None:
    """Nothing is built on stale events, where their readers are to be held; what is asked for is built all the same."""
    steps = result.materializations if isinstance(result, RunResult) else ()
    is_there = world.lake.table(TableName(EVENTS.name)) is not None
    newest = max((row[1] for row in world.rows(str(EVENTS.name)) if isinstance(row[1], datetime)), default=None)
    is_fresh = newest is not None and newest >= world.now - STALE_AFTER * DAY
    if not world.project.holds or not is_there or is_fresh:
        return
    graph, _ = world.compile()
    readers = {str(model.name) for model in graph.models if any(str(use.name) == EVENTS.name for use in model.inputs)}
    for step in (item for item in steps if item.status == "completed" and item.model in readers):
        works = _work_of(process, step.model)
        if not all(work.mode == "rewrite" for work in works):
            raise Violation(f"{step.model} was built on events that are stale since {newest}: {step}")


def refused_for_loss(result: RunResult | LaminaError) -> set[str]:
    """Return the models that were left as they are, because a rebuild would drop rows that only their tables hold."""
    steps = result.materializations if isinstance(result, RunResult) else ()
    failed = {step.model: f"{step.reason} {step.error}" for step in steps if step.status == "failed"}
    words = ("only the table holds", "--accept-loss")
    return {str(model) for model, reason in failed.items() if any(word in reason for word in words)}


def refused_for_ids(world: World, result: RunResult | LaminaError) -> set[str]:
    """Return the models that a check refuses because slices that are no longer due hold an id of others."""
    steps = result.materializations if isinstance(result, RunResult) else ()
    failed = {step.model for step in steps if step.status == "failed"}
    graph, queries = world.compile()
    models = (model for model in graph.models if model.name in failed and ONE_ID in model.settings.checks)
    return {str(model.name) for model in models if holds_ids_twice(world.lake, graph, queries, model)}


def check_contained(world: World, result: RunResult | LaminaError) -> None:
    """I10: what cannot be read withholds its readers; no other model is named with them, and all others go on."""
    graph, _ = world.compile()
    # A lost table that no record knows may have the name that another one is to get.
    tables = {str(model.name): (world.place(model.name), model.target) for model in graph.models}
    lost = {name for name, found in tables.items() if any(map(world.lake.is_lost, found))}
    emptied = () if world.files() else (FILES.location,)
    unread = _readers_of(graph, (*world.lake.broken, *emptied))
    unlisted = _readers_of(graph, (at for at, fault in world.lake.broken.items() if fault not in ("rows", "memory")))
    checked = {str(model.name) for model in graph.models if model.settings.checks or limits_of(model)}
    refused, resting = refused_for_loss(result), _resting(world, result)
    for step in result.materializations if isinstance(result, RunResult) else ():
        if step.status == "completed" and step.model in lost:
            raise Violation(f"I10 {step.model} was built, and its files are still lost")
        # A new layout is written from the table's own rows.
        is_relaid = step.reason.startswith("the layout changed")
        if step.status == "completed" and step.model in unlisted and not is_relaid:
            raise Violation(f"I10 {step.model} was built from a source that cannot be read")
        above = {str(name) for name in _above(graph, ModelName(step.model))}
        if (lost | unread) & set(step.blocked_by) - above:
            raise Violation(f"I10 {step.model} is blocked by {step.blocked_by}, and reads only {above}")
        is_free = not (lost | unread | checked | refused | resting) & (above | {step.model})
        if is_free and step.status in ("failed", "blocked", "not_started"):
            raise Violation(f"I10 {step.model} is {step.status}, and all that it reads is there: {step.error}")


def _resting(world: World, result: RunResult | LaminaError) -> set[str]:
    """Return the models that failed before and whose next try is to come."""
    steps = result.materializations if isinstance(result, RunResult) else ()
    failing = {str(step.model): step.failing for step in steps}
    return {name for name, item in failing.items() if item and item.next_try and item.next_try > world.now}


def check_patience(world: World, before: tuple[Failure, ...]) -> None:
    """I10: what failed is not tried again before its time, as long as nothing has changed about it."""
    for failure in view_of(world).failures:
        for known in before:
            is_same = (known.model, known.fingerprint, known.pins, known.conditions) == (
                failure.model,
                failure.fingerprint,
                failure.pins,
                failure.conditions,
            )
            is_again = is_same and failure.run_id != known.run_id
            if not is_again or not intersect((known.interval,), (failure.interval,)) or known.next_try is None:
                continue
            if known.tried_at is not None and known.tried_at <= world.now < known.next_try:
                raise Violation(f"I10 {known.model} was tried at {world.now} before its time: {known} {failure}")


def _readers_of(graph: Graph, locations: Iterable[str]) -> set[str]:
    """Return the models that read one of the sources at some places."""
    places = set(locations)
    names = {str(source.name) for source in graph.sources if source.location in places}
    return {str(model.name) for model in graph.models if any(str(use.name) in names for use in model.inputs)}


def _above(graph: Graph, name: ModelName) -> set[ModelName]:
    found = {ModelName(use.name) for use in graph.model(name).inputs if use.is_model} - {name}
    return found.union(*(_above(graph, item) for item in found))


def _planned(process: Process, model: str) -> tuple[Interval, ...]:
    return merge(tuple(span for action in _work_of(process, model) for span in action.intervals))


def _work_of(process: Process, model: str) -> list[Build | Rebuild]:
    actions = (action for plan in process.plans for action in plan.actions)
    return [action for action in actions if isinstance(action, Build | Rebuild) and action.model == model]


def view_of(world: World) -> StateView:
    """Return what the state holds."""
    with closing(world.open_store()) as store:
        view = store.view(world.environment)
    return view_now(view, pending_of(view, names_of(world.compile()[0])))


def check_marks(world: World) -> None:
    """I3: what the state holds of a table can be derived from the table's own mark."""
    graph, _ = world.compile()
    view = view_of(world)
    warehouse = MemoryWarehouse(world.lake, graph, world.queries)
    for model in graph.models:
        mark, record = warehouse.history(model.target, None).mark, view.models.get(model.name)
        if mark is None or record is None:
            if (mark is None) != (record is None or not record.coverage.segments):
                raise Violation(f"I3 {model.name}: mark {mark}, record {record}")
            continue
        derived, held = under_former_names(mark.coverage, model), under_former_names(record.coverage, model)
        # An unfinished slice may have gone on without a build.
        built = subtract(covered(held), derived.quiet)
        # A mark keeps the fingerprints of the compiler that wrote it, of the grid that it was written on, and of the
        # names that inputs had then.
        logics = (*derived.logics, *held.logics)
        named = {_code(item.fingerprint): _code(item.gridless) for item in logics if item.gridless}
        now = named.get(_code(model.fingerprint), _code(model.fingerprint))
        named |= {_code(former): now for former in model.former_fingerprints.values()}
        is_same_code = _codes(derived, named) == _codes(held, named)
        if covered(derived) != built or not is_same_code or derived.start != held.start:
            raise Violation(f"I3 {model.name}: mark {derived}, record {held}")
        # Only state knows which changes of a driver were folded since.
        known = [item.time_position and item.time_position.replace(is_touched=False) for item in (derived, held)]
        if known[0] != known[1]:
            raise Violation(f"I3 {model.name}: read up to {known[0]} by its mark, {known[1]} by its record")


def _codes(coverage: Coverage, named: dict[str, str]) -> set[str]:
    return {named.get(_code(segment.logic), _code(segment.logic)) for segment in coverage.segments}


def _code(fingerprint: str) -> str:
    return fingerprint.partition("-")[0]


def check_consumed(world: World) -> None:
    """I1, I3: what is recorded as clean equals a recompute at the recorded positions."""
    graph, _ = world.compile()
    view = view_of(world)
    for model in graph.models:
        record = view.models.get(model.name)
        if record is None:
            continue
        look = wrong_times if is_read_by_time(model) else wrong_slices
        wrong = look(world.lake, graph, world.queries, model=model, record=record)
        if wrong:
            raise Violation("I1 recorded as clean but different:\n  " + "\n  ".join(wrong))
        if model.name in world.unlisted:
            continue
        wrong = wrong_quarantine(world.lake, graph, world.queries, model=model, record=record)
        if wrong:
            raise Violation("I7 quarantined rows are not what checks sort out:\n  " + "\n  ".join(wrong))


def check_counts(world: World) -> None:
    """What a debt of appended rows counts is what came: all of it for a whole table, and never more for a slice."""
    graph, _ = world.compile()
    tables = {TableName(source.name) for source in graph.sources if source.type != "files"}
    for name, record in sorted(view_of(world).models.items()):
        for segment in record.coverage.segments:
            for debt in (debt for debt in segment.debts if debt.input in tables and debt.is_append):
                if debt.counts is None or debt.since is None:
                    continue
                before, after = (bag(world.lake.archive[int(at)]) for at in (debt.since, debt.position))
                came, counted = (after - before).total(), total(debt.counts).on_time
                if counted > came or (segment.interval == WHOLE and counted != came):
                    raise Violation(f"{name} owes {counted} rows of {debt.input}, and {came} came: {debt}")


def check_unique(world: World, before: dict[str, Counter[Row]]) -> None:
    """A key that a check calls unique comes once among the rows that stay, in whatever slices, after every batch."""
    graph, _ = world.compile()
    view = view_of(world)
    for model in graph.models:
        record, metadata = view.models.get(model.name), world.lake.table(model.target)
        is_ours = record is not None and world.lake.pointer(model.target) == record.pointer
        if ONE_ID not in model.settings.checks or metadata is None or record is None or not is_ours:
            continue
        relation = metadata.head.relation
        if before.get(model.name) == bag(relation):
            continue
        coverage = record.coverage
        replaced = stale_ranges(model, coverage)
        if coverage.start is not None:
            replaced = intersect(replaced, (Interval(datetime.fromisoformat(coverage.start), MAX),))
        lasting = subtract(covered(coverage), replaced)
        rows = cut_rows(relation, model, lasting).rows if lasting else ()
        ids = [row[relation.place("id")] for row in rows]
        if len(set(ids)) < len(ids):
            raise Violation(f"{model.name} holds an id twice: {ids}")


def contents(world: World) -> dict[str, Counter[Row]]:
    """Return the rows of every model that has a table."""
    tables = {name: world.lake.table(table) for name, table in world.placed().items()}
    return {name: bag(found.head.relation) for name, found in tables.items() if found is not None}


def check_verdicts(world: World) -> None:
    """I1: what `verify` calls different, `status` does not call current."""
    for name, (verdict, standing) in look(world).items():
        if verdict.status == "different" and standing.status == "current":
            raise Violation(f"I1 {name} is different and called current: {verdict}")


def is_idle(result: RunResult | LaminaError | None) -> bool:
    """Return whether a run found nothing to do."""
    return isinstance(result, RunResult) and result.status == "nothing_to_do"


def reported(result: RunResult | LaminaError | None) -> str:
    """Return what a run says it did."""
    if not isinstance(result, RunResult):
        return repr(result)
    steps = (f"{item.model} {item.status}: {item.reason or item.error}" for item in result.materializations)
    return f"{result.status}\n  " + "\n  ".join(steps)


def check_current(world: World) -> None:
    """I1: every table equals a recompute over the inputs as they are."""
    graph, queries = world.compile()
    if wrong := [item for model in graph.models for item in wrong_keys(world.lake, graph, queries, model)]:
        raise Violation("I1 merged keys are not current:\n  " + "\n  ".join(wrong))
    if lost := [item for model in graph.models for item in unloaded_rows(world.lake, graph, queries, model)]:
        raise Violation("I1 new rows were not loaded:\n  " + "\n  ".join(lost))
    if twice := [item for model in graph.models for item in doubled_rows(world.lake, graph, queries, model)]:
        raise Violation("I1 rows were loaded twice:\n  " + "\n  ".join(twice))
    expected = recompute(world.lake, graph, queries, now=world.now)
    tables = {**{str(item.name): current_rows(world.lake, graph, item.name) for item in graph.sources}, **expected}
    for model in (model for model in graph.models if is_read_by_time(model)):
        if left := unread_times(world.lake, graph, model, tables[str(model.driver)], now=world.now):
            raise Violation("I1 rows after the watermark were not loaded:\n  " + "\n  ".join(left))
    for name, relation in expected.items():
        metadata = world.lake.table(graph.model(ModelName(name)).target)
        actual = Relation(relation.columns, ()) if metadata is None else metadata.head.relation
        if actual.columns != relation.columns and actual.rows:
            raise Violation(f"I1 {name} has columns {actual.columns}, not {relation.columns}")
        if metadata is not None and metadata.head.layout != graph.model(ModelName(name)).layout["partitioned_by"]:
            raise Violation(f"{name} is not laid out as its model asks for: {metadata.head.layout}")
        if bag(actual) != bag(relation):
            raise Violation(f"I1 {name} is not current: {difference(bag(relation), bag(actual))}")
        if any(FOREIGN_KEY in row for row in actual.rows):
            raise Violation(f"I1 {name} still has rows of another writer")
        world.tables[name] = bag(actual)


def check_idempotent(world: World) -> None:
    """I4: a run with nothing new changes nothing but the history of runs."""
    before = _durable(world)
    result = run_engine(world, Process())
    after = _durable(world)
    if not is_idle(result) or before != after:
        changed = sorted(set(after) ^ set(before))
        raise Violation(f"I4 a second run is not idle: {reported(result)}\n  {changed}")


def check_asked(world: World, process: Process) -> None:
    """What a run was asked for stays requested until it is built, whatever became of the run."""
    with closing(world.open_store()) as store:
        requests = store.view(world.environment).requests
        for model, asked in asked_slices(process.plans[-1]).items():
            batches = store.batches(world.environment, model, limit=100)
            built = [span for batch in batches if batch.run_id == world.run_id for span in batch.slices]
            if left := subtract(asked, (*built, *requests.get(model, ()))):
                raise Violation(f"{model}: {left} was asked for, is not built, and is forgotten")


def check_renamed(world: World) -> None:
    """Tables that get other names are not built again, nor are their readers; no old name is left."""
    if world.lake.lost:
        return  # whose a table is whose metadata is lost cannot be known
    before, designs = _versions(world, world.placed()), world.project.designs
    for design in designs:
        world.project = world.project.renamed(design.name, f"m.again_{design.name.rpartition('.')[2]}")
    result = run_engine(world, Process())
    steps = result.materializations if isinstance(result, RunResult) else ()
    targets = {design.name: design.target for design in world.project.designs}
    after = _versions(world, {name: targets[name] for name in before})
    if any(step.status == "completed" for step in steps) or before != after:
        raise Violation(f"a new name rebuilds, or is not taken: {before} became {after}: {reported(result)}")
    marks = {table: world.lake.metadata[pointer].mark for table, pointer in world.pointers().items()}
    names = {design.name for design in designs}
    taken = {*targets.values(), *map(quarantine_of, targets.values())}
    if left := [table for table, mark in marks.items() if mark and mark.model in names and table not in taken]:
        raise Violation(f"tables are left under old names: {left}")


def _versions(world: World, tables: dict[str, TableName]) -> dict[str, int | None]:
    """Return the versions of the tables of models; marks may be written again meanwhile, with other names in them."""
    found = {name: world.lake.table(table) for name, table in tables.items()}
    return {name: None if table is None else table.current for name, table in found.items()}


def check_called(world: World) -> None:
    """Models that get other names are not built again, nor are their readers, and nothing has an old name."""
    before = _versions(world, world.placed())
    former = world.call_all()
    result = run_engine(world, Process())
    steps = result.materializations if isinstance(result, RunResult) else ()
    after = {former.get(name, name): version for name, version in _versions(world, world.placed()).items()}
    if any(step.status == "completed" for step in steps) or before != after:
        raise Violation(f"models with other names are built again: {before} became {after}: {reported(result)}")
    if not is_idle(again := run_engine(world, Process())):
        raise Violation(f"models with other names do not settle: {reported(again)}")
    with closing(world.open_store()) as store:
        view = store.view(world.environment)
    inputs = {cursor.input for record in view.models.values() for cursor in record.coverage.cursors}
    if left := set(former.values()) & {*view.models, *view.touches, *view.promoted, *inputs}:
        raise Violation(f"old names are recorded: {left}")


def check_upgrade(world: World) -> None:
    """A new compiler, which gives every model another fingerprint, rebuilds nothing by itself."""
    before = world.pointers()
    world.compiler += 1
    result = run_engine(world, Process())
    if not is_idle(result) or world.pointers() != before:
        raise Violation(f"a new compiler makes work: {reported(result)}")


def check_clean(world: World) -> None:
    """No stage and no intent is left behind."""
    with closing(world.open_store()) as store:
        intents = store.intents(world.environment)
    stages = world.lake.stages()
    if intents or stages:
        raise Violation(f"stages are left behind: {stages}, {intents}")


def check_cutoff(world: World) -> None:
    """Files that hold the same rows in another version rebuild their readers only."""
    graph, _ = world.compile()
    for name, version in sorted(world.files().items()):
        world.lake.put_file(FILES.location, name, relation=world.lake.contents[version])
    for source in (EVENTS, NAMES):
        world.lake.compact(TableName(source.location))
    result = run_engine(world, Process())
    steps = result.materializations if isinstance(result, RunResult) else ()
    built = {step.model for step in steps if step.status == "completed"}
    readers = {model.name for model in graph.models if any(str(use.name) == FILES.name for use in model.inputs)}
    if not built <= readers:
        raise Violation(f"I4 an equal rebuild touched others: {built - readers}: {reported(result)}")


def check_compared(world: World) -> None:
    """Where rows of files are compared, equal rows in other files rebuild nothing, and a column only its readers."""
    if not world.project.compares(str(FILES.name)):
        return
    for name, version in sorted(world.files().items()):
        world.lake.put_file(FILES.location, name, relation=world.lake.contents[version])
    if not is_idle(result := run_engine(world, Process())):
        raise Violation(f"I4 rows that are equal to those before are built again: {reported(result)}")
    for name, version in sorted(world.files().items()):
        rows = tuple((*row[:3], f"{row[3]}?", row[4]) for row in world.lake.contents[version].rows)
        world.put_file(rows, name)
    result = run_engine(world, Process())
    graph, _ = world.compile()
    readers = {model.name for model in graph.models if any("status" in (use.read_set or ()) for use in model.inputs)}
    built = (
        {step.model for step in result.materializations if step.status == "completed"}
        if isinstance(result, RunResult)
        else set()
    )
    if strange := {
        name for name in built if not any(name == item or item in _above(graph, ModelName(name)) for item in readers)
    }:
        raise Violation(f"{sorted(strange)} does not read the status, and is built again: {reported(result)}")


def check_precision(world: World) -> None:
    """A late row rebuilds the slices that read its day, or a day in which a whole table changed, and no others."""
    graph, _ = world.compile()
    day = Interval(BEGIN + DAY, BEGIN + 2 * DAY)
    before = _contents(world, graph)
    world.put_file(world.new_rows(str(FILES.name), day=1, count=1, seed=1))
    result = run_engine(world, Process())
    steps = result.materializations if isinstance(result, RunResult) else ()
    after = _contents(world, graph)
    changed = {name: (old, after[name]) for name, old in before.items()}
    for step in steps:
        allowed = _reach(graph, graph.model(ModelName(step.model)), day, changed)
        if step.status == "completed" and subtract(step.intervals, allowed):
            raise Violation(f"{step.model} rebuilt more than a late row touches: {step.intervals}")


def _contents(world: World, graph: Graph) -> dict[str, Relation]:
    """Return the rows of the tables that are written whole."""
    models = (model for model in graph.models if not isinstance(model.settings.strategy, TimeInterval))
    tables = {str(model.name): world.lake.table(model.target) for model in models}
    return {name: Relation((), ()) if found is None else found.head.relation for name, found in tables.items()}


def _changed_days(old: Relation, new: Relation, column: str) -> tuple[Interval, ...]:
    """Return the days in which rows of a table written whole were added or removed; all days if it was not there."""
    if old.columns != new.columns or column not in new.columns:
        return (WHOLE,)
    cells = [row[new.place(column)] for row in ((bag(old) - bag(new)) + (bag(new) - bag(old)))]
    return days_of(cells)


def _reach(
    graph: Graph, model: CompiledModel, day: Interval, changed: dict[str, tuple[Relation, Relation]]
) -> tuple[Interval, ...]:
    """Return the slices of a model that a row of a day can change."""
    if not isinstance(model.settings.strategy, TimeInterval):
        return (WHOLE,)
    reached: list[Interval] = []
    for use in (item for item in model.inputs if not model.is_own(item)):
        before, after = timedelta(seconds=use.reach_seconds), timedelta(seconds=use.after_seconds)
        spans: tuple[Interval, ...] = (day,) if str(use.name) == FILES.name else ()
        if use.is_model and str(use.name) in changed:
            spans = _changed_days(*changed[str(use.name)], str(use.filter_column))
        elif use.is_model:
            spans = _reach(graph, graph.model(ModelName(use.name)), day, changed)
        is_whole = use.filter_column is None or WHOLE in spans
        reached += [
            WHOLE if is_whole else Interval(span.start - after, min(span.end, MAX - before) + before) for span in spans
        ]
    own = (Interval(min(span.start for span in reached), MAX),) if model.reads_itself and reached else ()
    return merge((*(span if span == WHOLE else slice_of(model, span) for span in reached), *own))


def _durable(world: World) -> list[str]:
    with closing(sqlite3.connect(world.path)) as connection:
        lines = list(connection.iterdump())
    # Runs are history, the lease has a new token each time.
    passing = ("lamina_run", "lamina_lease", "sqlite_sequence", "lamina_plan")
    lasting = [line for line in lines if not any(f'"{name}"' in line or f" {name} " in line for name in passing)]
    return [*lasting, *(f"{table} is at {pointer}" for table, pointer in sorted(world.pointers().items()))]
