"""Run a schedule through the real planner, executor and state store, and check the invariants all the way."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from tests.simulation.actions import At, Run, heal
from tests.simulation.engine import run_engine
from tests.simulation.faults import Process, SimulatedCrash, once_at
from tests.simulation.invariants import (
    check_clean,
    check_consumed,
    check_current,
    check_cutoff,
    check_idempotent,
    check_marks,
    check_precision,
    check_result,
    is_idle,
    told,
)
from tests.simulation.schedule import Schedule
from tests.simulation.watch import Violation, Watch
from tests.simulation.world import World, copy_state, open_world

from lamina.errors import LaminaError
from lamina.values.result import RunResult

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
        check_result(run_engine(world, process, action=action, hook=hook), process)
    world.wall += LEASE_OVER
    for violation in watch.violations:
        raise violation


def _trouble(world: World, trouble: At, process: Process, watch: Watch) -> Callable[[str], None]:
    what = trouble.what

    def act() -> None:
        match what:
            case "crash":
                process.die()
            case "other_run" | "other_crash":
                process.is_paused = True
                _run_beside(world, is_crashing=what == "other_crash")
                process.is_paused, watch.is_fenced = False, True
            case _:
                what.happen(world)
        watch.look_again()

    return once_at(trouble.failpoint, trouble.nth, act)


def _run_beside(world: World, *, is_crashing: bool) -> None:
    """Let another run take over while this one is paused; it may die at once, with the lease in its hands."""
    world.wall += LEASE_OVER
    other = Process()
    hook = once_at("lease.after", 1, other.die) if is_crashing else None
    with suppress(SimulatedCrash):
        check_result(run_engine(world, other, hook=hook), other)


def _drain(world: World) -> None:
    """Run until nothing is left; then every table equals a recompute over the current inputs."""
    heal(world)
    result: RunResult | LaminaError | None = None
    for _ in range(DRAIN_RUNS):
        process = Process()
        result = run_engine(world, process)
        check_result(result, process)
        world.wall += LEASE_OVER
        check_consumed(world)
        if is_idle(result):
            break
    if not is_idle(result):
        raise Violation(f"I1 does not settle: {told(result)}")
    check_current(world)
    check_idempotent(world)
    check_clean(world)
    check_marks(world)
    check_cutoff(world)
    check_precision(world)
