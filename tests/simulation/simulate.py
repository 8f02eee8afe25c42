"""Run a schedule through the real planner, executor and state store, and check the invariants all the way."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from tests.simulation.actions import At, Beside, Drop, Run
from tests.simulation.algebra import DAY
from tests.simulation.engine import drop_engine, run_engine
from tests.simulation.faults import Process, SimulatedCrash, once_at
from tests.simulation.invariants import (
    check_asked,
    check_budget,
    check_called,
    check_clean,
    check_compared,
    check_consumed,
    check_contained,
    check_counts,
    check_current,
    check_cutoff,
    check_forward,
    check_going_on,
    check_held,
    check_idempotent,
    check_marks,
    check_patience,
    check_precision,
    check_ready,
    check_redone,
    check_renamed,
    check_result,
    check_unique,
    check_upgrade,
    check_verdicts,
    contents,
    is_idle,
    refused_for_ids,
    refused_for_loss,
    reported,
    view_of,
)
from tests.simulation.neighbours import Neighbour
from tests.simulation.project import MOST_AHEAD
from tests.simulation.schedule import Schedule
from tests.simulation.source_actions import heal
from tests.simulation.watch import Violation, Watch
from tests.simulation.world import World, open_world

from lamina.errors import LaminaError
from lamina.values.result import DropResult, RunResult

# Longer than a lease lasts: what a crashed or paused run held has expired then.
LEASE_OVER = timedelta(seconds=120)
DRAIN_RUNS = 8


def simulate(schedule: Schedule) -> World:
    """Live through a schedule, then drain and compare with a recompute; raise `Violation`."""
    # Files of a simulation are worthless after it, and memory is faster than a disk.
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        world = open_world(Path(folder) / "lamina.db", schedule.project)
        for action in schedule.actions:
            if isinstance(action, Run):
                before, failed = contents(world), view_of(world).failures
                _run(world, action)
                if action.flag is None and action.trouble is None:
                    check_patience(world, failed)
                check_consumed(world)
                check_counts(world)
                check_unique(world, before)
                check_verdicts(world)
            elif isinstance(action, Drop):
                _drop(world, action)
            elif isinstance(action, Beside):
                _run_neighbour(world, action.other)
            else:
                action.happen(world)
        _drain(world)
        return world


def _run(world: World, action: Run) -> None:
    if action.batch_size is not None:
        world.project = world.project.rebatched(action.batch_size)
    world.remember_file()
    process, reached = Process(), set[str]()
    world.has_accepted_empty |= action.flag == "accept_empty"
    world.has_read_behind |= action.behind > 0
    world.open_command().close()
    project = world.project
    watch = Watch(
        world,
        world.compile()[0],
        is_loss_accepted=action.flag == "accept_loss",
        is_from_nothing=action.flag in ("full_refresh", "accept_loss"),
    )
    trouble = _trouble(world, action.trouble, process, watch) if action.trouble is not None else None

    def hook(passed: str) -> None:
        if not process.is_paused:
            reached.add(passed)
            watch(passed)
            if trouble is not None:
                trouble(passed)

    with suppress(SimulatedCrash):
        result = run_engine(world, process, action=action, hook=hook)
        check_result(result, process)
        check_forward(project, action, process)
        if action.trouble is None:
            check_budget(world, result, process)
            check_ready(world, result, process)
        is_plain = action.models is None and action.flag is None and not action.behind
        if is_plain and action.trouble is None and action.lost is None:
            check_redone(world, result)
            check_held(world, result, process)
        if action.trouble is None and action.lost is None:
            check_contained(world, result)
    if "plan.after" in reached and (action.trouble is None or action.trouble.what == "crash"):
        check_asked(world, process)
    world.wall += LEASE_OVER
    world.dropped -= set(world.placed())
    for violation in watch.violations:
        raise violation


def _run_neighbour(world: World, other: Neighbour) -> RunResult | LaminaError:
    """Let the other project or environment run: whatever happens to this one, it sees only its own rows."""
    neighbour, process = world.beside(other), Process()
    result = run_engine(neighbour, process)
    check_result(result, process)
    check_consumed(neighbour)
    if strange := set(view_of(neighbour).models) - {design.name for design in neighbour.project.designs}:
        raise Violation(f"another {other} sees records of {sorted(strange)}")
    world.wall += LEASE_OVER
    return result


def _drop(world: World, action: Drop) -> None:
    name = world.model(action.pick)
    is_done = isinstance(drop_engine(world, name), DropResult)
    world.wall += LEASE_OVER
    if is_done:
        world.dropped.add(name)


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


def _rest(world: World) -> None:
    """Wait until what failed for want of memory is tried again; nothing else changes about it.

    Nor does it where a run read earlier versions, which the record of its failure does not know.
    """
    failures = (item for item in view_of(world).failures if item.kind == "resources" or world.has_read_behind)
    world.now = max((world.now, *(item.next_try for item in failures if item.next_try is not None)))
    world.latest = max(world.latest, world.now)


def _make_again(world: World) -> None:
    """Build tables whose files are lost from nothing; one that no record knows gets its files back, or is dropped.

    Files that come back help an empty state that finds the marks of one store; of two it can be neither.
    """
    refused: set[str] = set()  # what they read, and what only an accepted loss builds again
    places = {world.place(design.name) for design in world.project.designs}
    for design in world.project.designs:
        # A table that no model has any more is in the place of a renamed one.
        if world.lake.is_lost(design.target) and design.target not in places:
            world.lake.drop(design.target)
    for attempt in range(DRAIN_RUNS):
        world.open_command().close()  # a row that was dropped comes back before it is known that its files are lost
        lost = {at: design.name for at, design in enumerate(world.project.designs) if is_lost(world, design.name)}
        if not lost:
            return
        known = view_of(world).models
        if not known and len(world.stores()) == 1:
            world.lake.lost.clear()
            return
        for name in lost.values():
            if name not in known:
                world.lake.drop(world.place(name))
        lost = {at: name for at, name in lost.items() if name in known}
        if lost:
            process = Process()
            picks = {at for at, design in enumerate(world.project.designs) if design.name in refused}
            # Of one with slices that are not due, those are lost: that is to be accepted.
            remake = Run(models=tuple(sorted(picks | set(lost))), flag="accept_loss" if attempt else "full_refresh")
            result = run_engine(world, process, action=remake)
            check_result(result, process)
            refused |= refused_for_loss(result)
            world.wall += LEASE_OVER
    raise Violation(f"I10 files of {sorted(lost.values())} are lost, and a full refresh does not build them again")


def _give_up_saved_rows(world: World) -> None:
    """Build tables again that rows which only they hold keep from being built; nothing else drops those."""
    for _ in range(DRAIN_RUNS):
        process = Process()
        result = run_engine(world, process)
        check_result(result, process)
        world.wall += LEASE_OVER
        refused = refused_for_loss(result) | refused_for_ids(world, result)
        picks = tuple(at for at, design in enumerate(world.project.designs) if design.name in refused)
        if not picks:
            return
        check_result(run_engine(world, process, action=Run(models=picks, flag="accept_loss")), process)
        world.wall += LEASE_OVER
    raise Violation(f"I1 {sorted(refused)} are refused, although the loss is accepted")


def is_lost(world: World, name: str) -> bool:
    """Return whether files of a model's table are lost."""
    return world.lake.is_lost(world.place(name))


def _run_until_idle(world: World) -> RunResult | LaminaError | None:
    """Run as long as there is work, a limited number of times; return how the last run ended."""
    result: RunResult | LaminaError | None = None
    for _ in range(DRAIN_RUNS):
        process, before = Process(), contents(world)
        result = run_engine(world, process)
        check_result(result, process)
        world.wall += LEASE_OVER
        check_ready(world, result, process)
        check_consumed(world)
        check_unique(world, before)
        if is_idle(result):
            break
    return result


def _await_later_rows(world: World) -> None:
    """Let time pass until every slice that was built is ready for other code, or on a finer grid: a rebuild waits."""
    if any(design.is_partial or design.rebuild != "stale" for design in world.project.designs):
        world.now = world.latest  # a day that was built further than it is due now cannot be compared with what is due
    reading_ahead = sum(design.template == "leading" for design in world.project.designs)
    if reading_ahead:
        world.now = world.latest = world.latest + (1 + MOST_AHEAD * reading_ahead) * DAY
    if world.project.reads_days_by_hour():
        # Hours that were built as part of an unfinished day are built again when that day of their input is over.
        world.now = world.latest = (world.latest + DAY).replace(hour=14)
    if any(design.unit == "week" for design in world.project.designs):
        # At noon of a Monday every week is over, and released, in which something was built.
        monday = world.latest - world.latest.weekday() * DAY + 7 * (1 + (MOST_AHEAD * reading_ahead + 6) // 7) * DAY
        world.now = world.latest = monday.replace(hour=14)


def _go_on_within_budgets(world: World) -> None:
    """Run twice while nothing else happens: the second run goes on with what a budget held in the first."""
    if not any(design.is_budgeted for design in world.project.designs):
        return
    for _ in range(2):
        before, process = view_of(world), Process()
        result = run_engine(world, process)
        check_result(result, process)
        world.wall += LEASE_OVER
    check_going_on(world, result, before)


def _drain(world: World) -> None:
    """Run until nothing is left; then every table equals a recompute over the current inputs."""
    heal(world)
    _go_on_within_budgets(world)
    for design in world.project.designs:
        # What older code built is built again then, so that all of it can be compared with a recompute.
        world.project = world.project.forwarded(design.name, is_forward=False)
    world.project = world.project.unguarded()  # what was refused is built when nothing refuses it any more
    world.accepts_empty = True  # a source without files stays so
    _rest(world)
    for neighbour in world.neighbours.values():
        _rest(neighbour)
        world.now = max(world.now, neighbour.now)
        world.latest = max(world.latest, world.now)
    _await_later_rows(world)
    for source, how in world.project.detectors:
        if how == "always":
            world.project = world.project.detecting(source, "auto")
    for design in world.project.designs:
        world.project = world.project.redoing(design.name, "stale")  # what stayed pending is built, and nothing else
    _make_again(world)
    _give_up_saved_rows(world)
    if not is_idle(result := _run_until_idle(world)):
        # What a slice holds that is no longer due is not put right, and may fail its readers: its time comes again,
        # where some reader fails also if it was to be released at noon.
        world.now = world.latest
        is_failing = isinstance(result, RunResult) and any(item.status == "failed" for item in result.materializations)
        for design in world.project.designs:
            world.project = world.project.restarted(design.name, 0)
            if is_failing:
                world.project = world.project.released(design.name, None)
        result = _run_until_idle(world)
    if not is_idle(result):
        raise Violation(f"I1 does not settle: {reported(result)}")
    check_current(world)
    check_verdicts(world)
    check_idempotent(world)
    check_clean(world)
    check_marks(world)
    for other in world.neighbours:
        _drain_neighbour(world, other)
    check_cutoff(world)
    check_compared(world)
    check_precision(world)
    check_renamed(world)
    check_called(world)
    check_upgrade(world)


def _drain_neighbour(world: World, other: Neighbour) -> None:
    """Run the other project or environment until nothing is left: its tables equal a recompute, ours stay."""
    before = {name: world.pointers()[table] for name, table in world.placed().items()}
    for _ in range(DRAIN_RUNS):
        if is_idle(result := _run_neighbour(world, other)):
            break
    else:
        raise Violation(f"I1 the other {other} does not settle: {reported(result)}")
    check_current(world.beside(other))
    after = {name: world.pointers()[table] for name, table in world.placed().items()}
    if before != after:
        raise Violation(f"I5 another {other} changed tables: {before} became {after}")
