"""A model is promoted with its publication; a new compiler reads the promoted text again."""

import sqlite3
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from tests.simulation.actions import Run
from tests.simulation.engine import ENVIRONMENT, PLAIN, run_engine
from tests.simulation.faults import Process, SimulatedCrash, once_at
from tests.simulation.invariants import is_idle
from tests.simulation.project import Design, Project
from tests.simulation.world import World, open_world

from lamina.state.port import StateView
from lamina.values.names import ModelName
from lamina.values.result import RunResult

T0, T1 = ModelName("m.t0"), ModelName("m.t1")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with two models that were built."""
    designs = (Design("m.t0", "rows", ("raw.events",)), Design("m.t1", "totals", ("m.t0",)))
    world = open_world(tmp_path / "lamina.db", Project(designs))
    run_engine(world, Process())
    return world


def view_of(world: World) -> StateView:
    with closing(world.open_store()) as store:
        return store.view(ENVIRONMENT)


def edit(world: World) -> dict[ModelName, str]:
    """Change both models, and return their new fingerprints."""
    for name in ("m.t0", "m.t1"):
        world.project = world.project.edited(name, 1)
    return {model.name: model.fingerprint for model in world.compile()[0].models}


def die_at(world: World, point: str, *, action: Run = PLAIN) -> Process:
    """Kill a run at a failpoint, and let its lease expire."""
    process = Process()
    with suppress(SimulatedCrash):
        run_engine(world, process, action=action, hook=once_at(point, 1, process.die))
    world.wall += timedelta(seconds=120)
    return process


def promoted(world: World) -> dict[ModelName, str]:
    return {name: item.fingerprint for name, item in view_of(world).promoted.items()}


def test_a_run_promotes_what_it_published_and_nothing_else(world: World) -> None:
    before, after = promoted(world), edit(world)
    die_at(world, "publish.after")
    assert promoted(world) == {T0: after[T0], T1: before[T1]}


def test_a_selected_run_promotes_only_its_models(world: World) -> None:
    before, after = promoted(world), edit(world)
    run_engine(world, Process(), action=Run(models=(0,)))
    assert promoted(world) == {T0: after[T0], T1: before[T1]}


def test_a_run_that_dies_before_it_publishes_promotes_nothing(world: World) -> None:
    before, _ = promoted(world), edit(world)
    die_at(world, "prepare.after")
    assert promoted(world) == before


def test_a_model_that_needs_no_build_is_promoted_by_a_successful_run(world: World) -> None:
    with closing(world.open_store()) as store:
        before = store.load_graph(ENVIRONMENT)
    assert before is not None
    world.project = Project(tuple(design.replace(cron="@daily") for design in world.project.designs))
    run_engine(world, Process())
    with closing(world.open_store()) as store:
        graph = store.load_graph(ENVIRONMENT)
    assert graph is not None
    assert [model.settings.cron for model in graph.models] == ["@daily", "@daily"]
    assert [model.settings.cron for model in before.models] == [None, None]


def test_a_removed_model_is_forgotten_by_a_successful_run(world: World) -> None:
    world.project = Project(world.project.designs[:1])
    run_engine(world, Process())
    assert list(promoted(world)) == [T0]


def test_only_texts_that_some_model_came_from_are_kept(world: World) -> None:
    first = view_of(world).promoted[T0].text
    edit(world)
    run_engine(world, Process())
    with closing(world.open_store()) as store:
        assert store.find_text(first) is None
        assert store.find_text(view_of(world).promoted[T0].text) is not None


@pytest.mark.parametrize("is_edited", [False, True])
def test_i9_a_new_compiler_rebuilds_nothing_by_itself(is_edited: bool, world: World) -> None:
    before = world.pointers()
    world.compiler += 1
    if is_edited:
        world.project = world.project.edited("m.t1", 1)
    result = run_engine(world, Process())
    assert isinstance(result, RunResult)
    done = {item.model: item.status for item in result.materializations}
    assert done == {T0: "skipped", T1: "completed" if is_edited else "skipped"}
    assert world.pointers()[T0] == before[T0]  # type: ignore[index] # the table of a model has its name
    assert all(item.compiler == "compiler 1" for item in view_of(world).promoted.values())


def test_i3_tables_from_before_an_upgrade_are_known_when_their_record_is_lost_after_it(world: World) -> None:
    world.compiler += 1
    run_engine(world, Process())
    before = world.pointers()
    with closing(sqlite3.connect(world.path)) as connection, connection:
        connection.execute("DELETE FROM lamina_model")
    assert is_idle(run_engine(world, Process()))
    assert world.pointers() == before


def test_a_run_that_dies_in_the_middle_of_an_upgrade_rebuilds_nothing_later(world: World) -> None:
    before = world.pointers()
    world.compiler += 1
    die_at(world, "fold.after")
    assert {item.compiler for item in view_of(world).promoted.values()} == {"compiler 0"}
    assert is_idle(run_engine(world, Process()))
    assert world.pointers() == before
    assert {item.compiler for item in view_of(world).promoted.values()} == {"compiler 1"}


def test_an_asked_slice_survives_a_killed_run(world: World) -> None:
    die_at(world, "intent.after", action=Run(flag="force"))
    assert set(view_of(world).requests) == {T0, T1}
    result = run_engine(world, Process())
    assert isinstance(result, RunResult)
    assert [item.status for item in result.materializations] == ["completed", "completed"]
    assert view_of(world).requests == {}


def test_a_run_keeps_its_plan_before_it_builds(world: World) -> None:
    process = die_at(world, "intent.after", action=Run(flag="force"))
    with closing(world.open_store()) as store:
        assert store.load_plan(ENVIRONMENT, process.plans[-1].plan_id) == process.plans[-1]
