"""The verbs for one table: accept what another writer left in it, or drop it."""

from collections.abc import Callable

from lamina.api.engine import new_run_id, open_engine, open_selected
from lamina.api.opened import Opened
from lamina.compiler.graph import Graph
from lamina.errors import LaminaError
from lamina.executor.drop import drop_table
from lamina.executor.lease import held_lease
from lamina.executor.naming import require_renamed
from lamina.executor.run import observe
from lamina.planner.recover import accept
from lamina.planner.select import table_named
from lamina.values.names import ModelName, TableName
from lamina.values.plan import Selection
from lamina.values.result import DropResult


def accept_writes(project: Opened, model: str) -> ModelName:
    """Keep what another writer changed in a model's table, so that it is built upon again."""

    def choose(graph: Graph) -> tuple[ModelName, ...]:
        return (table_named(graph, model).name,)

    with open_selected(project, choose) as engine:
        found = table_named(engine.graph, model)
        runtime = engine.runtime
        with held_lease(runtime, new_run_id(runtime.clock()), above=0) as lease:
            observed = observe(runtime, engine.graph, Selection(models=(found.name,)), execution_time=runtime.clock())
            require_renamed(observed.renaming, found.name)
            if observed.facts.models[found.name].target.status != "foreign_write":
                raise LaminaError(
                    f"no other writer changed the table of `{found.name}`", hint="there is nothing to accept"
                )
            record = observed.records[found.name]
            accepted = record.replace(coverage=accept(found, record.coverage, position=record.position))
            touches = tuple(touch for touch in observed.new_touches if touch.table == TableName(found.name))
            runtime.store.fold(runtime.environment, lease, touches=touches, models=(accepted,))
        return found.name


def drop_model(project: Opened, model: str, *, is_forced: bool, agrees: Callable[[DropResult], bool]) -> DropResult:
    """Drop a model's table, its files and its record; `agrees` is asked first, with what is lost."""
    with open_engine(project, project.config) as engine:
        run_id = new_run_id(engine.runtime.clock())
        return drop_table(engine.runtime, engine.graph, model, run_id=run_id, is_forced=is_forced, agrees=agrees)
