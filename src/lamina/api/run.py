"""The verbs that build tables: plan, run, apply and retry; wiring only, each returns the value its command prints."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from lamina.api.asking import Ask
from lamina.api.engine import Engine, new_run_id, open_selected, thread_count
from lamina.api.opened import Opened
from lamina.api.state import environment_of, open_store
from lamina.api.stopping import Stop
from lamina.compiler.graph import Graph
from lamina.errors import LaminaError
from lamina.executor.asking import ask_again
from lamina.executor.execute import Limits
from lamina.executor.observe import Observed
from lamina.executor.run import Request, observe, run
from lamina.planner.broken import without
from lamina.planner.plan import build_plan
from lamina.planner.plan_changes import plan_changes
from lamina.planner.review import PlanMoved, check_size, check_slices, moved_since
from lamina.planner.select import select, upstreams_of
from lamina.values.change import ModelChange
from lamina.values.names import ModelName, PlanId
from lamina.values.plan import Plan, Selection
from lamina.values.planned import Planned
from lamina.values.result import RunResult


def plan_project(project: Opened, ask: Ask) -> Planned:
    """Return what a run would do now, and keep it for `apply`; no table is touched, no JVM is started."""
    with open_selected(project, ask.choose) as engine:
        selection = _selection(engine, ask)
        observed, plan = _plan(engine, selection, ask.execution_time or engine.runtime.clock())
        engine.runtime.store.save_plan(plan)
        zones = {model.name: model.settings.timezone for model in engine.graph.models}
        return Planned(
            plan=plan,
            changes=_changes(engine, observed, plan),
            diagnostics=observed.diagnostics,
            findings=engine.findings,
            zones={name: zone for name, zone in zones.items() if zone != "UTC"},
            allowed=_allowed(plan, engine.graph),
        )


def run_project(project: Opened, ask: Ask, *, stop: Stop) -> RunResult:
    """Plan and apply in one go."""
    with open_selected(project, ask.choose) as engine:
        stop.attach(engine.warehouse.cancel)

        def review(plan: Plan) -> None:
            if not ask.is_confirmed:
                check_size(plan, engine.graph, limit=engine.config.run.rebuild_limit)

        done = run(engine.runtime, engine.graph, _request(engine, ask, "run", review=review), stop=stop.signal)
        return done.replace(diagnostics=(*done.diagnostics, *engine.findings))


def _allowed(plan: Plan, graph: Graph) -> dict[ModelName, tuple[str, ...]]:
    """Return the codes that models of a plan allow."""
    planned = {action.model for action in plan.actions}
    return {item.name: item.settings.allow for item in graph.models if item.settings.allow and item.name in planned}


def apply_plan(project: Opened, plan_id: str, ask: Ask, *, stop: Stop) -> RunResult:
    """Do what a kept plan lists, or refuse with what moved since it was made."""
    plan = _kept_plan(project, plan_id)
    chosen = plan.selection.models

    def choose(graph: Graph) -> tuple[ModelName, ...] | None:
        there = {model.name for model in graph.models}
        return None if chosen is None else tuple(name for name in chosen if name in there)

    with open_selected(project, choose) as engine:

        def review(now: Plan) -> None:
            if differences := moved_since(plan, now):
                raise PlanMoved(plan.plan_id, differences)

        stop.attach(engine.warehouse.cancel)
        asked = Ask(
            slices=plan.selection,
            execution_time=plan.execution_time,
            parallel=ask.parallel,
            is_fail_fast=ask.is_fail_fast,
        )
        # What came since the plan was made waits for the next run.
        request = replace(_request(engine, asked, "apply", review=review), pins=plan.assumed.pins)
        done = run(engine.runtime, engine.graph, request, stop=stop.signal)
        return done.replace(diagnostics=(*done.diagnostics, *engine.findings))


def _kept_plan(project: Opened, plan_id: str) -> Plan:
    with open_store(project) as store:
        plan = store.load_plan(environment_of(project), PlanId(plan_id))
    if plan is None:
        raise LaminaError(f"there is no plan `{plan_id}`", hint="`lamina plan` makes one and prints its id")
    return plan


def retry_models(project: Opened, names: tuple[str, ...], *, stop: Stop) -> RunResult:
    """Forget that models failed, and run them again with what they read."""
    ask = Ask(include=names)
    with open_selected(project, ask.choose) as engine:
        runtime, chosen = engine.runtime, select(engine.graph, names, ())
        ask_again(runtime, engine.graph, chosen, run_id=new_run_id(runtime.clock()))
        stop.attach(engine.warehouse.cancel)
        request = _request(engine, ask, "retry", review=lambda _: None)
        done = run(runtime, engine.graph, request, stop=stop.signal)
        return done.replace(diagnostics=(*done.diagnostics, *engine.findings))


def _plan(engine: Engine, selection: Selection, execution_time: datetime) -> tuple[Observed, Plan]:
    observed = observe(engine.runtime, engine.graph, selection, execution_time=execution_time)
    plan = build_plan(engine.graph, observed.facts, environment=engine.runtime.environment, selection=selection)
    return observed, plan


def _changes(engine: Engine, observed: Observed, plan: Plan) -> tuple[ModelChange, ...]:
    """Compare the project with what was last run; both are compiled by this compiler."""
    before = engine.runtime.store.load_graph(engine.runtime.environment)
    if before is not None and observed.recompiled:
        models = {model.name: model for model in (*before.models, *observed.recompiled)}
        before = before.replace(models=tuple(models[name] for name in sorted(models)))
    if before is not None and engine.broken is not None:
        before = without(before, engine.broken.left_out)
    if before is None or before.models == engine.graph.models:
        return ()
    # Imported here: it needs the parser, which a plan without a change of code does not.
    from lamina.compiler.identity.changes import compare

    built = {name for name, facts in observed.facts.models.items() if facts.coverage.segments}
    return plan_changes(compare(before, engine.graph), before, engine.graph, plan=plan, built=built)


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
