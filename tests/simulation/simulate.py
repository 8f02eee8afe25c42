"""Run a schedule through the real planner, executor and state store, and check the invariants all the way."""

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from tests.simulation.actions import At, Run, heal
from tests.simulation.algebra import Relation
from tests.simulation.engine import ENVIRONMENT, run_engine
from tests.simulation.faults import Process, SimulatedCrash, once_at
from tests.simulation.lake import CATALOG, bag
from tests.simulation.oracle import difference, recompute, wrong_keys, wrong_slices
from tests.simulation.project import EVENTS, FILES, NAMES
from tests.simulation.schedule import Schedule
from tests.simulation.watch import Violation, Watch
from tests.simulation.world import World, copy_state, open_world

from lamina.errors import LaminaError
from lamina.executor.execute import InternalFailure
from lamina.values.names import TableName
from lamina.values.result import RunResult
from lamina.warehouse import catalog

# Longer than a lease lasts: what a crashed or paused run held has expired then.
LEASE_OVER = timedelta(seconds=120)
DRAIN_RUNS = 8


def simulate(schedule: Schedule) -> World:
    """Live through a schedule, then drain and compare with a recompute; raise `Violation`."""
    # Files of a simulation are worthless after it, and memory is faster than a disk.
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        world = open_world(Path(folder) / "lamina.db", schedule.project)
        try:
            for action in schedule.actions:
                if isinstance(action, Run):
                    _run(world, action)
                    check_consumed(world)
                else:
                    action.happen(world)
            _drain(world)
        finally:
            world.lake.connection.close()
        return world


def _run(world: World, action: Run) -> None:
    if action.batch_size is not None:
        world.project = world.project.rebatched(action.batch_size)
    world.copies.append(copy_state(world.path))
    process = Process()
    watch = Watch(world, world.compile()[0])
    trouble = _trouble(world, action.trouble, process, watch) if action.trouble is not None else None

    def hook(passed: str) -> None:
        if not process.is_paused:
            watch(passed)
            if trouble is not None:
                trouble(passed)

    with suppress(SimulatedCrash):
        check_foreseen(run_engine(world, process, models=action.models, hook=hook, lost=action.lost))
    world.wall += LEASE_OVER


def _trouble(world: World, trouble: At, process: Process, watch: Watch) -> Callable[[str], None]:
    what = trouble.what

    def act() -> None:
        match what:
            case "crash":
                process.die()
            case "other_run":
                process.is_paused = True
                _run_beside(world)
                process.is_paused = False
            case _:
                what.happen(world)
        watch.look_again()

    return once_at(trouble.failpoint, trouble.nth, act)


def _run_beside(world: World) -> None:
    """Let another run take over while this one is paused."""
    world.wall += LEASE_OVER
    check_foreseen(run_engine(world, Process(), models=None, hook=None, lost=None))


def check_foreseen(result: RunResult | LaminaError) -> None:
    """I11: whatever ends a step was foreseen."""
    steps = result.materializations if isinstance(result, RunResult) else ()
    for step in steps:
        if step.error is not None and step.error.code == InternalFailure.code:
            raise Violation(f"I11 {step.model}: {step.error.message}")
        if step.rows_written != step.rows_inserted + step.rows_replaced:
            raise Violation(f"I7 {step.model} wrote {step.rows_written} rows and says where {step} went")


def check_consumed(world: World) -> None:
    """I1, I3: what is recorded as clean equals a recompute at the recorded positions."""
    graph, _ = world.compile()
    store = world.open_store()
    try:
        view = store.view(ENVIRONMENT)
    finally:
        store.close()
    for model in graph.models:
        record = view.models.get(model.name)
        if record is None:
            continue
        wrong = wrong_slices(world.lake, graph, world.queries, model=model, record=record)
        if wrong:
            raise Violation("I1 recorded as clean but different:\n  " + "\n  ".join(wrong))


def _drain(world: World) -> None:
    """Run until nothing is left; then every table equals a recompute over the current inputs."""
    heal(world)
    result: RunResult | LaminaError | None = None
    for _ in range(DRAIN_RUNS):
        result = run_engine(world, Process(), models=None, hook=None, lost=None)
        check_foreseen(result)
        world.wall += LEASE_OVER
        check_consumed(world)
        if is_idle(result):
            break
    if not is_idle(result):
        raise Violation(f"I1 does not settle: {_told(result)}")
    _check_current(world)
    _check_idempotent(world)
    _check_clean(world)
    _check_cutoff(world)


def is_idle(result: RunResult | LaminaError | None) -> bool:
    """Tell whether a run found nothing to do."""
    return isinstance(result, RunResult) and result.status == "nothing_to_do"


def _told(result: RunResult | LaminaError | None) -> str:
    if not isinstance(result, RunResult):
        return repr(result)
    steps = (f"{item.model} {item.status}: {item.reason or item.error}" for item in result.materializations)
    return f"{result.status}\n  " + "\n  ".join(steps)


def _check_current(world: World) -> None:
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


def _check_idempotent(world: World) -> None:
    """I4: a run with nothing new changes nothing but the history of runs."""
    before = _durable(world.path)
    result = run_engine(world, Process(), models=None, hook=None, lost=None)
    after = _durable(world.path)
    if not is_idle(result) or before != after:
        changed = sorted(set(after) ^ set(before))
        raise Violation(f"I4 a second run is not idle: {_told(result)}\n  {changed}")


def _check_clean(world: World) -> None:
    """No stage and no intent is left behind."""
    store = world.open_store()
    try:
        intents = store.intents(ENVIRONMENT)
    finally:
        store.close()
    # With the state, the list of what was under way is lost too: such stages are found by their age, later.
    stages = () if world.has_lost_state else catalog.stages(world.lake.connection, CATALOG)
    if intents or stages:
        raise Violation(f"stages are left behind: {stages}, {intents}")


def _check_cutoff(world: World) -> None:
    """Files that hold the same rows in another version rebuild their readers and nobody else."""
    graph, _ = world.compile()
    for name, version in sorted(world.files().items()):
        world.lake.put_file(FILES.location, name, relation=world.lake.contents[version])
    for source in (EVENTS, NAMES):
        world.lake.compact(TableName(source.location))
    result = run_engine(world, Process(), models=None, hook=None, lost=None)
    built = (
        {step.model for step in result.materializations if step.status == "completed"}
        if isinstance(result, RunResult)
        else {"?"}
    )
    readers = {model.name for model in graph.models if any(str(use.name) == FILES.name for use in model.inputs)}
    if not built <= readers:
        raise Violation(f"I4 an equal rebuild touched others: {built - readers}: {_told(result)}")


def _durable(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    try:
        lines = list(connection.iterdump())
    finally:
        connection.close()
    # Runs are history, the lease has a new token each time.
    passing = ("lamina_run", "lamina_lease", "sqlite_sequence", "lamina_plan")
    return [line for line in lines if not any(f'"{name}"' in line or f" {name} " in line for name in passing)]
