"""The invariants, each as a check over a world that raises `Violation`."""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime, timedelta

from tests.simulation.algebra import DAY, Relation, Row
from tests.simulation.differences import days_of
from tests.simulation.engine import look, run_engine
from tests.simulation.faults import Process
from tests.simulation.lake import bag
from tests.simulation.memory_warehouse import MemoryWarehouse
from tests.simulation.oracle import (
    BEGIN,
    difference,
    doubled_rows,
    holds_ids_twice,
    recompute,
    unloaded_rows,
    wrong_keys,
    wrong_slices,
)
from tests.simulation.project import EVENTS, FILES, NAMES, ONE_ID
from tests.simulation.row_writes import cut_rows
from tests.simulation.watch import Violation
from tests.simulation.world import FOREIGN_KEY, World

from lamina.compiler.graph import CompiledModel, Graph, InputUse
from lamina.errors import LaminaError
from lamina.executor.internal import InternalFailure
from lamina.planner.asked import asked_slices
from lamina.planner.segments import covered, outdated
from lamina.project.strategy import TimeInterval
from lamina.state.port import StateView
from lamina.values.coverage import Coverage
from lamina.values.facts import Failure
from lamina.values.interval import MAX, WHOLE, Interval, intersect, merge, subtract
from lamina.values.names import ModelName, TableName
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
        if step.rows_written != step.rows_inserted + step.rows_replaced:
            raise Violation(f"I7 {step.model} does not say where its rows went: {step}")
        planned = _planned(process, step.model)
        if step.status == "completed" and subtract(step.intervals, planned):
            raise Violation(f"I9 {step.model} built {step.intervals}, planned were {planned}")


def check_ready(world: World, result: RunResult | LaminaError, process: Process) -> None:
    """I12: no slice is built before the time is over that it reads; a rewrite computes nothing."""
    graph, _ = world.compile()
    steps = result.materializations if isinstance(result, RunResult) else ()
    for step in steps:
        model = graph.model(ModelName(step.model))
        is_rewrite = any(action.mode == "rewrite" for action in _work_of(process, step.model))
        if step.status != "completed" or is_rewrite or not isinstance(model.settings.strategy, TimeInterval):
            continue
        ahead = max((use.after_seconds for use in model.inputs if _is_in_time(graph, use)), default=0)
        if any(span.end + timedelta(seconds=ahead) > world.now for span in step.intervals):
            raise Violation(f"I12 {step.model} built {step.intervals} before {ahead} s after them were over")


def _is_in_time(graph: Graph, use: InputUse) -> bool:
    """Return whether an input grows with time: a source, or a table that is built in days."""
    if not use.is_model:
        return True
    return isinstance(graph.model(ModelName(use.name)).settings.strategy, TimeInterval)


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
    lost = {str(model.name) for model in graph.models if world.lake.is_lost(model.target)}
    emptied = () if world.files() else (FILES.location,)
    unread = _readers_of(graph, (*world.lake.broken, *emptied))
    unlisted = _readers_of(graph, (at for at, fault in world.lake.broken.items() if fault not in ("rows", "memory")))
    checked = {str(model.name) for model in graph.models if model.settings.checks}
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
        return store.view(world.environment)


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
        derived, held = mark.coverage, record.coverage
        # An unfinished slice may have gone on without a build.
        built = subtract(covered(held), derived.quiet)
        if covered(derived) != built or _codes(derived) != _codes(held) or derived.start != held.start:
            raise Violation(f"I3 {model.name}: mark {derived}, record {held}")


def _codes(coverage: Coverage) -> set[str]:
    # A mark keeps the fingerprints of the compiler that wrote it.
    return {segment.logic.partition("-")[0] for segment in coverage.segments}


def check_consumed(world: World) -> None:
    """I1, I3: what is recorded as clean equals a recompute at the recorded positions."""
    graph, _ = world.compile()
    view = view_of(world)
    for model in graph.models:
        record = view.models.get(model.name)
        if record is None:
            continue
        wrong = wrong_slices(world.lake, graph, world.queries, model=model, record=record)
        if wrong:
            raise Violation("I1 recorded as clean but different:\n  " + "\n  ".join(wrong))


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


def check_unique(world: World, before: dict[TableName, Counter[Row]]) -> None:
    """A key that a check calls unique comes once among the rows that stay, in whatever slices, after every batch."""
    graph, _ = world.compile()
    view = view_of(world)
    for model in graph.models:
        record, metadata = view.models.get(model.name), world.lake.table(model.target)
        is_ours = record is not None and world.lake.pointer(model.target) == record.pointer
        if ONE_ID not in model.settings.checks or metadata is None or record is None or not is_ours:
            continue
        relation = metadata.head.relation
        if before.get(model.target) == bag(relation):
            continue
        coverage = record.coverage
        replaced = outdated(coverage, model.fingerprint)
        if coverage.start is not None:
            replaced = intersect(replaced, (Interval(datetime.fromisoformat(coverage.start), MAX),))
        lasting = subtract(covered(coverage), replaced)
        rows = cut_rows(relation, model, lasting).rows if lasting else ()
        ids = [row[relation.place("id")] for row in rows]
        if len(set(ids)) < len(ids):
            raise Violation(f"{model.name} holds an id twice: {ids}")


def contents(world: World) -> dict[TableName, Counter[Row]]:
    """Return the rows of every table of a model."""
    tables = {TableName(design.name): world.lake.table(TableName(design.name)) for design in world.project.designs}
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
    for name, relation in expected.items():
        metadata = world.lake.table(TableName(name))
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
    return merge((*reached, *own))


def _durable(world: World) -> list[str]:
    with closing(sqlite3.connect(world.path)) as connection:
        lines = list(connection.iterdump())
    # Runs are history, the lease has a new token each time.
    passing = ("lamina_run", "lamina_lease", "sqlite_sequence", "lamina_plan")
    lasting = [line for line in lines if not any(f'"{name}"' in line or f" {name} " in line for name in passing)]
    return [*lasting, *(f"{table} is at {pointer}" for table, pointer in sorted(world.pointers().items()))]
