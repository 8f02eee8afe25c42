"""Which changes of code a plan shows, and how: against what was built, of the models requested, by their cause."""

from collections.abc import Collection, Mapping

from lamina.compiler.graph import CompiledModel, Graph
from lamina.project.model import ModelSettings
from lamina.values.change import ColumnChange, ModelChange
from lamina.values.names import ModelName
from lamina.values.plan import Build, Plan, Rebuild


def plan_changes(
    changes: tuple[ModelChange, ...], old: Graph, new: Graph, *, plan: Plan, built: Collection[ModelName]
) -> tuple[ModelChange, ...]:
    """Return the changes since the last run that concern a plan; `built` are the models that have rows."""
    before = {model.name: model for model in old.models}
    after = {model.name: model for model in new.models}
    changed = {item.model for item in changes if item.change not in ("unchanged", "metadata")}
    shown: list[ModelChange] = []
    for item in changes:
        now, was = after.get(item.model), before.get(item.renamed_from or item.model)
        if item.change == "unchanged" or not _concerns(item.model, plan, now=now):
            continue
        if now is not None and item.model not in built and not now.is_ephemeral:
            shown.append(_added(now))
        elif now is None or was is None:
            shown.append(item)
        elif item.change == "metadata":
            shown.append(item.replace(settings=_differing(was.settings, now.settings)))
        else:
            shown.append(item.replace(through=_through(was, now, after=after, changed=changed)))
    return tuple(shown)


def _concerns(name: ModelName, plan: Plan, *, now: CompiledModel | None) -> bool:
    """Return whether a plan is about a model: it was requested, or it is built because it is read."""
    chosen = plan.selection.models
    if chosen is None or name in chosen:
        return True
    works = {action.model for action in plan.actions if isinstance(action, Build | Rebuild)}
    return name in works or (now is not None and now.is_ephemeral and name in plan.selection.upstreams)


def _added(model: CompiledModel) -> ModelChange:
    """Return the change of a model that has no rows yet: whatever its text was before, it begins now."""
    columns = sorted(model.columns or (), key=lambda column: column.name)
    added = tuple(ColumnChange(name=column.name, change="added") for column in columns)
    return ModelChange(model=model.name, change="added", columns=added)


def _differing(was: ModelSettings, now: ModelSettings) -> tuple[str, ...]:
    return tuple(name for name in now.__struct_fields__ if getattr(was, name) != getattr(now, name))


def _through(
    was: CompiledModel,
    now: CompiledModel,
    *,
    after: Mapping[ModelName, CompiledModel],
    changed: Collection[ModelName],
) -> tuple[ModelName, ...]:
    """Return the changed ephemeral models that a model inlines, where its own text and settings are as they were."""
    if was.text != now.text or was.settings != now.settings:
        return ()
    found: set[ModelName] = set()
    ahead = [now]
    while ahead:
        for name in ahead.pop().depends_on:
            inner = after.get(ModelName(name))
            if inner is not None and inner.is_ephemeral and inner.name not in found:
                found.add(inner.name)
                ahead.append(inner)
    return tuple(sorted(found & set(changed)))
