"""The real run on a simulated world: one thread, a clock that stands still, ids that count up."""

from collections.abc import Callable
from contextlib import ExitStack
from threading import Event

from tests.simulation.actions import Run
from tests.simulation.faults import Process, guarded_store, guarded_warehouse
from tests.simulation.memory_warehouse import MemoryWarehouse
from tests.simulation.world import World

from lamina.compiler.graph import Graph
from lamina.errors import LaminaError
from lamina.executor.asking import ask_again
from lamina.executor.execute import Limits
from lamina.executor.failpoint import armed
from lamina.executor.run import Request, run
from lamina.executor.runtime import Runtime
from lamina.values.names import EnvironmentName, ModelName, RunId
from lamina.values.plan import Selection
from lamina.values.result import RunResult

ENVIRONMENT = EnvironmentName("prod")
PLAIN = Run()
LIMITS = Limits(threads=1, retries=0, is_fail_fast=False)


def run_engine(
    world: World,
    process: Process,
    *,
    action: Run = PLAIN,
    hook: Callable[[str], None] | None = None,
    limits: Limits = LIMITS,
) -> RunResult | LaminaError:
    """Run once, as an action says, and return the result, or the error that ended the run."""
    graph, _ = world.compile()
    store = world.open_store()
    world.runs += 1
    runtime = Runtime(
        store=guarded_store(store, process, lost=action.lost),
        warehouse=guarded_warehouse(MemoryWarehouse(world.lake, graph, world.queries), process),
        clock=lambda: world.wall,
        new_id=lambda: f"c{next(world.lake.numbers)}",
        emit=lambda event: None,
        environment=ENVIRONMENT,
        project="simulation",
    )
    request = Request(
        command="run",
        run_id=RunId(f"run-{world.runs}"),
        selection=_selection(world, graph, action),
        execution_time=world.now,
        limits=limits,
        review=process.plans.append,
    )
    with ExitStack() as stack:
        stack.callback(store.close)
        if hook is not None:
            stack.enter_context(armed(hook))
        try:
            if action.flag == "retry":
                names = request.selection.models or tuple(model.name for model in graph.models)
                ask_again(runtime, graph, names, run_id=request.run_id)
            return run(runtime, graph, request, stop=Event())
        except LaminaError as error:
            return error


def _selection(world: World, graph: Graph, action: Run) -> Selection:
    flagged = Selection(
        is_forced=action.flag == "force",
        is_full_refresh=action.flag == "full_refresh",
        is_missing=action.flag == "missing",
        # It builds what is finished, released by a cron or not; then a table is ahead of what is due.
        lookback=2 if action.flag == "lookback" and not _has_cron(graph) else None,
    )
    if action.models is None:
        return flagged
    chosen = {ModelName(world.target(pick)) for pick in action.models}
    return flagged.replace(models=tuple(sorted(chosen)), upstreams=tuple(sorted(_above(graph, chosen) - chosen)))


def _has_cron(graph: Graph) -> bool:
    return any(model.settings.cron is not None for model in graph.models)


def _above(graph: Graph, names: set[ModelName]) -> set[ModelName]:
    found = {ModelName(use.name) for name in names for use in graph.model(name).inputs if use.is_model} - names
    return found | _above(graph, found) if found else set()
