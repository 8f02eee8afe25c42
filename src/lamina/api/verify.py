"""The verb that proves tables: recompute them over their recorded inputs and compare."""

from random import getrandbits

from lamina.api.engine import open_known
from lamina.api.opened import Opened
from lamina.compiler.graph import CompiledModel
from lamina.executor.run import observe, selected_models
from lamina.executor.verify import verify_model
from lamina.planner.broken import Broken, with_promoted
from lamina.planner.select import select
from lamina.values.event import StepFinished, StepStarted
from lamina.values.plan import Selection
from lamina.values.result import ModelVerdict, VerifyResult, counted_verdicts, verified


def verify_project(
    project: Opened,
    *,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    is_sample: bool = False,
    is_strict: bool = False,
) -> VerifyResult:
    """Recompute the selected tables, or a few slices of each, over their recorded inputs and compare."""
    sample = getrandbits(32) if is_sample else None
    with open_known(project) as engine:
        whole = with_promoted(engine.graph, engine.whole)
        chosen = set(select(whole, include, exclude))
        left_out = _left_out(selected_models(whole, Selection(models=tuple(chosen))), engine.broken)
        selection = Selection(models=tuple(sorted(chosen - {item.model for item in left_out})))
        observed = observe(engine.runtime, engine.graph, selection, execution_time=engine.runtime.clock())
        verdicts = []
        for model in selected_models(engine.graph, selection):
            engine.runtime.emit(StepStarted(model=model.name, intervals=(), reason="comparing with a recompute"))
            verdict = verify_model(engine.runtime, model, observed, sample=sample)
            engine.runtime.emit(StepFinished(model=model.name, status="skipped", reason=verdict.status))
            verdicts.append(verdict)
        every = tuple(sorted((*verdicts, *left_out), key=lambda verdict: verdict.model))
        return VerifyResult(
            status=verified(every),
            models=every,
            counts=counted_verdicts(every),
            diagnostics=engine.findings,
            is_strict=is_strict,
        )


def _left_out(models: tuple[CompiledModel, ...], broken: Broken | None) -> tuple[ModelVerdict, ...]:
    """Return the verdicts on models that cannot be computed, since they or what they read do not compile."""
    reasons = {} if broken is None else {model.name: broken.reason(model.name) for model in models}
    return tuple(
        ModelVerdict(model=name, status="unverifiable", reason=reason)
        for name, reason in reasons.items()
        if reason is not None
    )
