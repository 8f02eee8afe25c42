"""The invariants, each as a check over a world that raises `Violation`."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from tests.behaviour.examples import stages_in
from tests.simulation.algebra import DAY, Relation
from tests.simulation.engine import ENVIRONMENT, run_engine
from tests.simulation.faults import Process
from tests.simulation.lake import bag
from tests.simulation.memory_warehouse import MemoryWarehouse
from tests.simulation.oracle import BEGIN, difference, recompute, wrong_keys, wrong_slices
from tests.simulation.project import EVENTS, FILES, NAMES
from tests.simulation.watch import Violation
from tests.simulation.world import World

from lamina.compiler.graph import CompiledModel, Graph
from lamina.errors import LaminaError
from lamina.executor.execute import InternalFailure
from lamina.planner.segments import covered
from lamina.project.strategy import TimeInterval
from lamina.state.port import StateView
from lamina.values.coverage import Coverage
from lamina.values.interval import MAX, WHOLE, Interval, merge, subtract
from lamina.values.names import ModelName, TableName
from lamina.values.plan import Build, Rebuild
from lamina.values.result import RunResult


def check_result(result: RunResult | LaminaError, process: Process) -> None:
    """I7, I9, I11: rows are accounted for, work was planned, and whatever ended a step was foreseen."""
    steps = result.materializations if isinstance(result, RunResult) else ()
    for step in steps:
        if step.error is not None and step.error.code == InternalFailure.code:
            raise Violation(f"I11 {step.model}: {step.error.message}")
        if step.rows_written != step.rows_inserted + step.rows_replaced:
            raise Violation(f"I7 {step.model} does not say where its rows went: {step}")
        planned = _planned(process, step.model)
        if step.status == "completed" and subtract(step.intervals, planned):
            raise Violation(f"I9 {step.model} built {step.intervals}, planned were {planned}")


def _planned(process: Process, model: str) -> tuple[Interval, ...]:
    actions = (action for plan in process.plans for action in plan.actions)
    works = (action for action in actions if isinstance(action, Build | Rebuild) and action.model == model)
    return merge(tuple(span for action in works for span in action.intervals))


def view_of(world: World) -> StateView:
    """Return what the state holds."""
    with closing(world.open_store()) as store:
        return store.view(ENVIRONMENT)


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
        if covered(derived) != covered(held) or _codes(derived) != _codes(held) or derived.start != held.start:
            raise Violation(f"I3 {model.name}: mark {derived}, record {held}")


def _codes(coverage: Coverage) -> set[str]:
    return {segment.logic for segment in coverage.segments}


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


def is_idle(result: RunResult | LaminaError | None) -> bool:
    """Tell whether a run found nothing to do."""
    return isinstance(result, RunResult) and result.status == "nothing_to_do"


def told(result: RunResult | LaminaError | None) -> str:
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
    expected = recompute(world.lake, graph, queries, now=world.now)
    for name, relation in expected.items():
        metadata = world.lake.table(TableName(name))
        actual = Relation(relation.columns, ()) if metadata is None else metadata.head.relation
        if actual.columns != relation.columns and actual.rows:
            raise Violation(f"I1 {name} has columns {actual.columns}, not {relation.columns}")
        if bag(actual) != bag(relation):
            raise Violation(f"I1 {name} is not current: {difference(bag(relation), bag(actual))}")
        world.tables[name] = bag(actual)


def check_idempotent(world: World) -> None:
    """I4: a run with nothing new changes nothing but the history of runs."""
    before = _durable(world.path)
    result = run_engine(world, Process())
    after = _durable(world.path)
    if not is_idle(result) or before != after:
        changed = sorted(set(after) ^ set(before))
        raise Violation(f"I4 a second run is not idle: {told(result)}\n  {changed}")


def check_clean(world: World) -> None:
    """No stage and no intent is left behind."""
    with closing(world.open_store()) as store:
        intents = store.intents(ENVIRONMENT)
    stages = stages_in(world.lake.connection)
    if intents or stages:
        raise Violation(f"stages are left behind: {stages}, {intents}")


def check_cutoff(world: World) -> None:
    """Files that hold the same rows in another version rebuild their readers and nobody else."""
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
        raise Violation(f"I4 an equal rebuild touched others: {built - readers}: {told(result)}")


def check_precision(world: World) -> None:
    """A late row rebuilds the slices that read its day, and no others."""
    graph, _ = world.compile()
    day = Interval(BEGIN + DAY, BEGIN + 2 * DAY)
    world.put_file(world.new_rows(str(FILES.name), day=1, count=1, seed=1))
    result = run_engine(world, Process())
    steps = result.materializations if isinstance(result, RunResult) else ()
    for step in steps:
        allowed = _reach(graph, graph.model(ModelName(step.model)), day)
        if step.status == "completed" and subtract(step.intervals, allowed):
            raise Violation(f"{step.model} rebuilt more than a late row touches: {step.intervals}")


def _reach(graph: Graph, model: CompiledModel, day: Interval) -> tuple[Interval, ...]:
    """Return the slices of a model that a row of a day can change."""
    if not isinstance(model.settings.strategy, TimeInterval):
        return (WHOLE,)
    reached: list[Interval] = []
    for use in model.inputs:
        window = timedelta(seconds=use.window_seconds)
        if str(use.name) == str(model.name):
            reached.append(Interval(day.start, MAX))
            continue
        spans: tuple[Interval, ...] = (day,) if str(use.name) == FILES.name else ()
        if use.is_model:
            spans = _reach(graph, graph.model(ModelName(use.name)), day)
        is_whole = use.filter_column is None or WHOLE in spans
        reached += [WHOLE if is_whole else Interval(span.start, min(span.end, MAX - window) + window) for span in spans]
    return merge(tuple(reached))


def _durable(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        lines = list(connection.iterdump())
    # Runs are history, the lease has a new token each time.
    passing = ("lamina_run", "lamina_lease", "sqlite_sequence", "lamina_plan")
    return [line for line in lines if not any(f'"{name}"' in line or f" {name} " in line for name in passing)]
