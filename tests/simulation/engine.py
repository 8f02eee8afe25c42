"""The real run on a simulated world: one thread, a clock that moves only when asked, ids that count up."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from threading import Event
from typing import Any

from tests.simulation.actions import Run
from tests.simulation.faults import Process, guarded_store, guarded_warehouse
from tests.simulation.memory_warehouse import MemoryWarehouse
from tests.simulation.reading_behind import reading_behind
from tests.simulation.world import PROD, World

from lamina.compiler.graph import Graph
from lamina.errors import LaminaError
from lamina.executor.asking import ask_again
from lamina.executor.drop import drop_table
from lamina.executor.execute import Limits
from lamina.executor.failpoint import armed
from lamina.executor.run import Request, observe, run
from lamina.executor.runtime import Runtime
from lamina.executor.verify import verify_model
from lamina.planner.plan import build_plan
from lamina.planner.standing import model_status
from lamina.values.names import ModelName, RunId
from lamina.values.plan import Selection
from lamina.values.result import DropResult, ModelStatus, ModelVerdict, RunResult

ENVIRONMENT = PROD
PLAIN = Run()
LIMITS = Limits(threads=1, retries=0, is_fail_fast=False)


def run_engine(
    world: World,
    process: Process,
    *,
    action: Run = PLAIN,
    hook: Callable[[str], None] | None = None,
    limits: Limits = LIMITS,
    stop: Event | None = None,
) -> RunResult | LaminaError:
    """Run once, as an action says, and return the result, or the error that ended the run."""
    graph, _ = world.compile()
    store = world.open_command()
    world.runs += 1
    runtime = _runtime(
        world,
        guarded_store(store, process, lost=action.lost),
        guarded_warehouse(MemoryWarehouse(world.lake, graph, world.queries), process),
    )
    request = Request(
        command="run",
        run_id=world.run_id,
        selection=_selection(world, graph, action),
        execution_time=world.now,
        limits=limits,
        review=process.plans.append,
    )
    with ExitStack() as stack:
        stack.callback(store.close)
        if hook is not None:
            stack.enter_context(armed(hook))
        if action.behind:
            stack.enter_context(reading_behind(world, action.behind))
        try:
            if action.flag == "retry":
                names = request.selection.models or tuple(model.name for model in graph.models)
                ask_again(runtime, graph, names, run_id=request.run_id)
            return run(runtime, graph, request, stop=stop or Event())
        except LaminaError as error:
            return error


def drop_engine(
    world: World, name: str, *, is_forced: bool = True, is_agreed: bool = True, project: str = "simulation"
) -> DropResult | LaminaError:
    """Drop a table as the command does, and return the result, or the error that ended it."""
    graph, _ = world.compile()
    world.runs += 1
    with closing(world.open_command()) as store:
        runtime = replace(_runtime(world, store, MemoryWarehouse(world.lake, graph, world.queries)), project=project)
        try:
            return drop_table(
                runtime,
                graph,
                name,
                run_id=RunId(f"run-{world.runs}"),
                is_forced=is_forced,
                agrees=lambda _: is_agreed,
            )
        except LaminaError as error:
            return error


def look(world: World) -> dict[ModelName, tuple[ModelVerdict, ModelStatus]]:
    """Return what `verify` and `status` say of every model; nothing is changed."""
    graph, _ = world.compile()
    with closing(world.open_command()) as store:
        runtime = _runtime(world, store, MemoryWarehouse(world.lake, graph, world.queries))
        seen = observe(runtime, graph, Selection(), execution_time=world.now)
        plan = build_plan(graph, seen.facts, environment=world.environment, selection=Selection(), redoes=False)
        return {
            model.name: (
                verify_model(runtime, model, seen),
                model_status(
                    model,
                    seen.facts.models[model.name],
                    tuple(action for action in plan.actions if action.model == model.name),
                ),
            )
            for model in graph.models
        }


def _runtime(world: World, store: Any, warehouse: Any) -> Runtime:
    return Runtime(
        store=store,
        warehouse=warehouse,
        clock=lambda: world.wall,
        new_id=lambda: f"c{next(world.lake.numbers)}",
        emit=lambda event: None,
        environment=world.environment,
        project=world.name,
        compiling=world.compiling(),
    )


def _selection(world: World, graph: Graph, action: Run) -> Selection:
    flagged = Selection(
        is_forced=action.flag == "force",
        is_full_refresh=action.flag in ("full_refresh", "accept_loss"),
        is_loss_accepted=action.flag == "accept_loss",
        is_empty_accepted=action.flag == "accept_empty" or world.accepts_empty,
        is_missing=action.flag == "missing",
        # It builds what is finished, released by a cron or not; then a table is ahead of what is due.
        lookback=2 if action.flag == "lookback" and not _has_cron(graph) else None,
    )
    if action.models is None:
        return flagged
    chosen = {ModelName(world.model(pick)) for pick in action.models}
    return flagged.replace(models=tuple(sorted(chosen)), upstreams=tuple(sorted(_above(graph, chosen) - chosen)))


def _has_cron(graph: Graph) -> bool:
    return any(model.settings.cron is not None for model in graph.models)


def _above(graph: Graph, names: set[ModelName]) -> set[ModelName]:
    found = {ModelName(use.name) for name in names for use in graph.model(name).inputs if use.is_model} - names
    return found | _above(graph, found) if found else set()
