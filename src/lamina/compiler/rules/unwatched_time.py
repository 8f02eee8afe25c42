"""L437: nobody would notice that the newest rows of a model with time slices are missing.

Why: other tables of the project say how old their newest row may be, with `[freshness]` or a `freshness` check. This
model is built by time, no model reads it on, and neither it nor anything above it says so: if its rows stop coming,
runs still succeed.
Fix: add `[freshness]` with a `column` and `error_after` to the model or to a source that it reads, or allow the code in
the model. A project that uses freshness nowhere has no such finding.
"""

from collections.abc import Iterator

from lamina.compiler.graph import CompiledModel
from lamina.compiler.subject import ProjectSubject
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L437", name="UnwatchedTime", severity="warning", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield the models with slices at the end of the graph whose age nothing looks at."""
    models = {TableName(item.model.name): item.model for item in subject.linked}
    watched = {name for name, model in models.items() if _is_watched(model)}
    watched |= {TableName(source.name) for source in subject.sources if source.freshness is not None}
    if not watched:
        return
    read = {use.name for model in models.values() for use in model.inputs if not model.is_own(use)}
    for name, model in sorted(models.items()):
        if model.traits.slices is None or name in read or not watched.isdisjoint(_above(name, models)):
            continue
        yield RULE.finding(
            f"nothing says how old the newest row of `{name}` may be: neither the model nor what it reads "
            "has `[freshness]`",
            place=Place(file=model.path),
            model=model.name,
            hint="add `[freshness]` to the model or to a source of it, or allow `L437` in the model",
        )


def _is_watched(model: CompiledModel) -> bool:
    return model.settings.freshness is not None or any(check.type == "freshness" for check in model.settings.checks)


def _above(name: TableName, models: dict[TableName, CompiledModel]) -> set[TableName]:
    """Return a table and everything it reads, near or far."""
    found, ahead = {name}, [name]
    while ahead:
        model = models.get(ahead.pop())
        for use in model.inputs if model is not None else ():
            if use.name not in found:
                found.add(use.name)
                ahead.append(use.name)
    return found
