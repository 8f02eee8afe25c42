"""What a run would do now, or at another time: looked at and decided once, and not done."""

from dataclasses import dataclass
from datetime import datetime

from lamina.api.engine import Engine
from lamina.compiler.graph import CompiledModel
from lamina.executor.run import observe, selected_models
from lamina.planner.broken import with_promoted
from lamina.planner.cadence import next_due
from lamina.planner.fold import fold
from lamina.planner.plan import Decided, decide_all
from lamina.planner.select import select
from lamina.planner.standing import broken_status, model_status, unbuilt_status, view_status
from lamina.planner.views import views_of
from lamina.values.facts import Facts, ModelFacts
from lamina.values.pending import NextDue
from lamina.values.plan import Action, Selection
from lamina.values.result import ModelStatus


@dataclass(frozen=True)
class Foreseen:
    """The facts of a moment, and what is decided from them about every model."""

    facts: Facts
    decided: Decided

    def actions(self, model: CompiledModel) -> tuple[Action, ...]:
        """Return what is decided about a model."""
        return tuple(action for action in self.decided.actions if action.model == model.name)

    def known(self, model: CompiledModel) -> ModelFacts:
        """Return the facts of a model, with everything that its inputs did in its debts."""
        facts = self.facts.models[model.name]
        coverage, _ = fold(facts.coverage, model, touches=self.facts.touches, heads=self.facts.heads)
        return facts.replace(coverage=coverage)


def foresee(engine: Engine, execution_time: datetime | None) -> Foreseen:
    """Look at everything and decide what is stale, as a run at that time would; what every run builds is not stale."""
    time = execution_time or engine.runtime.clock()
    facts = observe(engine.runtime, engine.graph, Selection(), execution_time=time).facts
    return Foreseen(facts=facts, decided=decide_all(engine.graph, facts, selection=Selection(), redoes=False))


@dataclass(frozen=True)
class LookedAt:
    """What is known of the selected models, by name."""

    foreseen: Foreseen
    statuses: tuple[ModelStatus, ...]
    buildable: tuple[tuple[CompiledModel, ModelFacts], ...]  # models that compile, and read none that does not
    next_due: tuple[NextDue, ...]


def look_at(
    engine: Engine, *, include: tuple[str, ...], exclude: tuple[str, ...], execution_time: datetime | None
) -> LookedAt:
    """Look at the selected models, those that do not compile or never ran included."""
    foreseen = foresee(engine, execution_time)
    chosen = set(select(with_promoted(engine.whole, engine.graph), include, exclude))
    models = tuple(model for model in selected_models(engine.graph, Selection()) if model.name in chosen)
    facts = {model.name: foreseen.known(model) for model in models}
    known = {model.name: model_status(model, facts[model.name], foreseen.actions(model)) for model in models}
    others = (model for model in selected_models(engine.whole, Selection()) if model.name in chosen)
    views = tuple(model for model in views_of(engine.graph, Selection()) if model.name in chosen)
    defined = {item.name: view_status(item, foreseen.facts.views[item.name], foreseen.actions(item)) for item in views}
    known = {**{model.name: unbuilt_status(model) for model in others}, **known, **defined}
    broken = engine.broken
    return LookedAt(
        foreseen=foreseen,
        statuses=tuple(broken_status(status, broken) for _, status in sorted(known.items())),
        buildable=tuple(
            (model, facts[model.name]) for model in models if broken is None or broken.reason(model.name) is None
        ),
        next_due=next_due(models, foreseen.facts.execution_time),
    )
