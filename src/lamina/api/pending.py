"""The verb `pending`: everything that is not built or not read yet; wiring only, nothing is changed."""

from datetime import datetime

from lamina.api.engine import open_known
from lamina.api.foreseen import look_at
from lamina.api.opened import Opened
from lamina.planner.pending import model_pending, unbuildable
from lamina.values.pending import Pending, PendingResult


def project_pending(
    project: Opened, *, include: tuple[str, ...], exclude: tuple[str, ...], execution_time: datetime | None
) -> PendingResult:
    """Return what of the selected models a run would build, or leave and why, by name."""
    with open_known(project) as engine:
        looked = look_at(engine, include=include, exclude=exclude, execution_time=execution_time)
        found: list[Pending] = []
        for model, facts in looked.buildable:
            found += model_pending(model, facts, looked.foreseen.actions(model))
        can_be_built = {model.name for model, _ in looked.buildable}
        defined = {model.name for model in engine.graph.models if model.is_view}  # a view has no rows that could wait
        others = (item for item in looked.statuses if item.model not in can_be_built | defined)
        found += map(unbuildable, others)
        return PendingResult(
            environment=engine.runtime.environment,
            execution_time=f"{looked.foreseen.facts.execution_time:%Y-%m-%dT%H:%M:%SZ}",
            pending=tuple(sorted(found, key=lambda item: item.model)),
            next_due=looked.next_due,
            models=len(looked.statuses),
            diagnostics=engine.findings,
        )
