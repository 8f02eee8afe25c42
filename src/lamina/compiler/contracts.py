"""Compare the contracts of a project with what was promoted: protected columns stay, new ones are filled."""

from collections.abc import Iterable, Iterator

from lamina.compiler.check import demote
from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.known_rules import rules_of_change, rules_of_promotion
from lamina.compiler.subject import Subject
from lamina.project.model import ModelFile
from lamina.values.diagnostic import Diagnostic


def check_promoted(files: Iterable[ModelFile], graph: Graph, *, promoted: Graph) -> tuple[Diagnostic, ...]:
    """Return what breaks the contracts of models that exist in both graphs."""
    models = {model.name: model for model in graph.models}
    before = {model.name: model for model in promoted.models}
    pairs = [
        (file, models[file.name], before[file.name]) for file in files if file.name in models and file.name in before
    ]
    return tuple(item for file, model, previous in pairs for item in _findings(file, model, previous))


def check_changes(files: Iterable[ModelFile], graph: Graph, *, promoted: Graph) -> tuple[Diagnostic, ...]:
    """Return what to know of changes since the promoted version; both graphs are of this compiler."""
    # Imported here: it needs the parser, which contracts do not.
    from lamina.compiler.identity.changes import compare

    models, sidecars = {model.name: model for model in graph.models}, {file.name: file for file in files}
    found: list[Diagnostic] = []
    for change in compare(promoted, graph):
        if change.change in ("unchanged", "metadata") or change.model not in sidecars or change.model not in models:
            continue
        subject = _subject(sidecars[change.model], models[change.model])._replace(change=change)
        raised = [item for violations in rules_of_change() for item in violations(subject)]
        found += demote(raised, subject.model.settings.allow)
    return tuple(found)


def _subject(file: ModelFile, model: CompiledModel) -> Subject:
    return Subject(file, model, query=None, names=(), ephemeral={}, shape=None, inputs={}, schemas={})


def _findings(file: ModelFile, model: CompiledModel, previous: CompiledModel) -> Iterator[Diagnostic]:
    subject = _subject(file, model)._replace(previous=previous)
    found = [item for violations in rules_of_promotion() for item in violations(subject)]
    yield from demote(found, model.settings.allow)
