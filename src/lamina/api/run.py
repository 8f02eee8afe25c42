"""The verbs that change tables: plan, apply and run; wiring only, each returns the value its command prints."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from lamina.api.engine import Engine, new_run_id, open_engine, open_selected, open_store, thread_count
from lamina.compiler.graph import Graph
from lamina.errors import LaminaError
from lamina.executor.asking import ask_again
from lamina.executor.drop import drop_table
from lamina.executor.execute import Limits
from lamina.executor.lease import held_lease
from lamina.executor.observe import World
from lamina.executor.run import Request, observe, run
from lamina.planner.broken import without
from lamina.planner.plan import build_plan
from lamina.planner.recover import accept
from lamina.planner.review import PlanMoved, check_size, check_slices, moved_since
from lamina.planner.select import select, table_named, upstreams_of
from lamina.planner.told_changes import told_changes
from lamina.values.change import ModelChange
from lamina.values.diagnostic import Diagnostic
from lamina.values.event import Event
from lamina.values.names import ModelName, PlanId, TableName
from lamina.values.plan import Plan, Selection
from lamina.values.result import DropResult, RunResult
from lamina.values.value import Value


class Ask(Value, frozen=True):
    """What a user asks of a plan or a run."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    has_upstreams: bool = True
    slices: Selection = Selection()  # its slice and force flags; the models come from `include`
    execution_time: datetime | None = None
    parallel: int | None = None
    is_fail_fast: bool = False
    is_confirmed: bool = False

    def choose(self, graph: Graph) -> tuple[ModelName, ...] | None:
        """Return the models that are requested by name; None where no name limits them."""
        return select(graph, self.include, self.exclude) if self.include or self.exclude else None


class Planned(Value, frozen=True):
    """A plan, and what changed in the project since it was last run."""

    plan: Plan
    changes: tuple[ModelChange, ...]
    diagnostics: tuple[Diagnostic, ...] = ()  # of sources that cannot be read: their readers are blocked
    findings: tuple[Diagnostic, ...] = ()  # of models that are left out because they do not compile
    zones: dict[ModelName, str] = {}  # of models whose days are not those of UTC


def plan_project(
    root: str, environment_variables: Mapping[str, str], ask: Ask, *, emit: Callable[[Event], None]
) -> Planned:
    """Return what a run would do now, and keep it for `apply`; no table is touched, no JVM is started."""
    with open_selected(root, environment_variables, choose=ask.choose, emit=emit) as engine:
        selection = _selection(engine, ask)
        world, plan = _plan(engine, selection, ask.execution_time or engine.runtime.clock())
        engine.runtime.store.save_plan(plan)
        zones = {model.name: model.settings.timezone for model in engine.graph.models}
        return Planned(
            plan=plan,
            changes=_changes(engine, world, plan),
            diagnostics=world.diagnostics,
            findings=engine.findings,
            zones={name: zone for name, zone in zones.items() if zone != "UTC"},
        )


def run_project(
    root: str,
    environment_variables: Mapping[str, str],
    ask: Ask,
    *,
    emit: Callable[[Event], None],
    ready: Callable[[Engine], None],
) -> RunResult:
    """Plan and apply in one go; `ready` is given the engine before the work begins."""
    with open_selected(root, environment_variables, choose=ask.choose, emit=emit) as engine:
        ready(engine)

        def review(plan: Plan) -> None:
            if not ask.is_confirmed:
                check_size(plan, engine.graph, limit=engine.config.run.rebuild_limit)

        done = run(engine.runtime, engine.graph, _request(engine, ask, "run", review=review), stop=engine.stop)
        return done.replace(diagnostics=(*done.diagnostics, *engine.findings))


def apply_plan(
    root: str,
    environment_variables: Mapping[str, str],
    plan_id: str,
    ask: Ask,
    *,
    emit: Callable[[Event], None],
    ready: Callable[[Engine], None],
) -> RunResult:
    """Do what a kept plan lists, or refuse with what moved since it was made."""
    plan = _kept_plan(root, environment_variables, plan_id)
    chosen = plan.selection.models

    def choose(graph: Graph) -> tuple[ModelName, ...] | None:
        there = {model.name for model in graph.models}
        return None if chosen is None else tuple(name for name in chosen if name in there)

    with open_selected(root, environment_variables, choose=choose, emit=emit) as engine:

        def review(now: Plan) -> None:
            if differences := moved_since(plan, now):
                raise PlanMoved(plan.plan_id, differences)

        ready(engine)
        asked = Ask(
            slices=plan.selection,
            execution_time=plan.execution_time,
            parallel=ask.parallel,
            is_fail_fast=ask.is_fail_fast,
        )
        # What came since the plan was made waits for the next run.
        request = replace(_request(engine, asked, "apply", review=review), pins=plan.assumed.pins)
        done = run(engine.runtime, engine.graph, request, stop=engine.stop)
        return done.replace(diagnostics=(*done.diagnostics, *engine.findings))


def _kept_plan(root: str, environment_variables: Mapping[str, str], plan_id: str) -> Plan:
    with open_store(root, environment_variables) as store:
        plan = store.load_plan(PlanId(plan_id))
    if plan is None:
        raise LaminaError(f"there is no plan `{plan_id}`", hint="`lamina plan` makes one and prints its id")
    return plan


def retry_models(
    root: str,
    environment_variables: Mapping[str, str],
    names: tuple[str, ...],
    *,
    emit: Callable[[Event], None],
    ready: Callable[[Engine], None],
) -> RunResult:
    """Forget that models failed, and run them again with what they read."""
    ask = Ask(include=names)
    with open_selected(root, environment_variables, choose=ask.choose, emit=emit) as engine:
        runtime, chosen = engine.runtime, select(engine.graph, names, ())
        ask_again(runtime, engine.graph, chosen, run_id=new_run_id(runtime.clock()))
        ready(engine)
        request = _request(engine, ask, "retry", review=lambda _: None)
        done = run(runtime, engine.graph, request, stop=engine.stop)
        return done.replace(diagnostics=(*done.diagnostics, *engine.findings))


def accept_writes(root: str, environment_variables: Mapping[str, str], *, model: str) -> ModelName:
    """Keep what another writer changed in a model's table, so that it is built upon again."""

    def choose(graph: Graph) -> tuple[ModelName, ...]:
        return (table_named(graph, model).name,)

    with open_selected(root, environment_variables, choose=choose, emit=lambda _: None) as engine:
        found = table_named(engine.graph, model)
        runtime = engine.runtime
        with held_lease(runtime, new_run_id(runtime.clock()), above=0) as lease:
            world = observe(runtime, engine.graph, Selection(models=(found.name,)), execution_time=runtime.clock())
            if world.facts.models[found.name].target.status != "foreign_write":
                raise LaminaError(
                    f"no other writer changed the table of `{found.name}`", hint="there is nothing to accept"
                )
            record = world.records[found.name]
            accepted = record.replace(coverage=accept(found, record.coverage, position=record.position))
            touches = tuple(touch for touch in world.new_touches if touch.table == TableName(found.name))
            runtime.store.fold(runtime.environment, lease, touches=touches, models=(accepted,))
        return found.name


def drop_model(
    root: str,
    environment_variables: Mapping[str, str],
    *,
    model: str,
    is_forced: bool,
    agrees: Callable[[DropResult], bool],
) -> DropResult:
    """Drop a model's table, its files and its record; `agrees` is asked first, with what is lost."""
    with open_engine(root, environment_variables, overrides={}, emit=lambda _: None) as engine:
        run_id = new_run_id(engine.runtime.clock())
        return drop_table(engine.runtime, engine.graph, model, run_id=run_id, is_forced=is_forced, agrees=agrees)


def _plan(engine: Engine, selection: Selection, execution_time: datetime) -> tuple[World, Plan]:
    world = observe(engine.runtime, engine.graph, selection, execution_time=execution_time)
    plan = build_plan(engine.graph, world.facts, environment=engine.runtime.environment, selection=selection)
    return world, plan


def _changes(engine: Engine, world: World, plan: Plan) -> tuple[ModelChange, ...]:
    """Compare the project with what was last run; both are compiled by this compiler."""
    before = engine.runtime.store.load_graph(engine.runtime.environment)
    if before is not None and engine.broken is not None:
        before = without(before, engine.broken.left_out)
    if before is None or before == engine.graph:
        return ()
    # Imported here: it needs the parser, which a plan without a change of code does not.
    from lamina.compiler.identity.changes import compare

    built = {name for name, facts in world.facts.models.items() if facts.coverage.segments}
    return told_changes(compare(before, engine.graph), before, engine.graph, plan=plan, built=built)


def _request(engine: Engine, ask: Ask, command: str, *, review: Callable[[Plan], None]) -> Request:
    now = engine.runtime.clock()
    run_config = engine.config.run
    return Request(
        command=command,
        run_id=new_run_id(now),
        selection=_selection(engine, ask),
        execution_time=ask.execution_time or now,
        limits=Limits(
            threads=thread_count(engine.config, ask.parallel),
            retries=run_config.retries,
            is_fail_fast=ask.is_fail_fast or run_config.fail_fast,
            may_rebuild=command != "apply",
        ),
        review=review,
        left_out=engine.broken.left_out if engine.broken is not None else frozenset(),
    )


def _selection(engine: Engine, ask: Ask) -> Selection:
    """Return the models and slices that are requested; what they read is added unless that is declined."""
    selection = ask.slices
    if ask.include or ask.exclude:
        chosen = select(engine.whole, ask.include, ask.exclude)
        above = upstreams_of(engine.graph, chosen) if ask.has_upstreams else ()
        selection = selection.replace(models=chosen, upstreams=above)
    check_slices(selection, engine.graph, execution_time=ask.execution_time or engine.runtime.clock())
    return selection
