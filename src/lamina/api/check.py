"""The verb that checks published tables: nothing is built, no lease is taken, no state is written."""

from lamina.api.engine import Engine, open_known
from lamina.api.opened import Opened
from lamina.compiler.graph import CompiledModel
from lamina.executor.observe import Observed
from lamina.executor.publish import placed_checks
from lamina.executor.run import observe, selected_models
from lamina.planner.broken import with_promoted
from lamina.planner.select import select
from lamina.planner.standing import not_checked
from lamina.values.batch import CheckResult
from lamina.values.event import StepFinished, StepStarted
from lamina.values.plan import Selection
from lamina.values.result import CheckReport, NotChecked


def check_tables(project: Opened, *, include: tuple[str, ...], exclude: tuple[str, ...]) -> CheckReport:
    """Run the checks of the selected models over their published tables, as of now."""
    with open_known(project) as engine:
        whole = with_promoted(engine.graph, engine.whole)
        chosen = Selection(models=select(whole, include, exclude))
        models = [model for model in selected_models(whole, chosen) if model.settings.checks]
        broken = {
            model.name: engine.broken.reason(model.name) if engine.broken is not None else None for model in models
        }
        known = Selection(models=tuple(name for name, reason in broken.items() if reason is None))
        observed = observe(engine.runtime, engine.graph, known, execution_time=engine.runtime.clock())
        results: list[CheckResult] = []
        left_out: list[NotChecked] = []
        for model in models:
            reason = broken[model.name]
            missing = (
                NotChecked(model=model.name, reason=reason)
                if reason is not None
                else not_checked(model, observed.facts.models[model.name])
            )
            if missing is not None:
                left_out.append(missing)
                continue
            results += _checked(engine, model, observed)
        return CheckReport(check_results=tuple(results), not_checked=tuple(left_out), diagnostics=engine.findings)


def _checked(engine: Engine, model: CompiledModel, observed: Observed) -> tuple[CheckResult, ...]:
    runtime = engine.runtime
    runtime.emit(StepStarted(model=model.name, intervals=(), reason="checking"))
    found = runtime.warehouse.check_table(model, execution_time=observed.facts.execution_time)
    failed = sum(not item.passed for item in found)
    runtime.emit(StepFinished(model=model.name, status="skipped", reason=f"{failed} failed" if failed else "passed"))
    return placed_checks(runtime, model, found)
