"""Run every rule over a linked model or project; allowed findings stay visible as information."""

from collections.abc import Iterable, Iterator, Sequence

from lamina.compiler.known_rules import demotable, rules_of_model, rules_of_project
from lamina.compiler.link.linked import Linked
from lamina.compiler.link.parameters import bound_type
from lamina.compiler.rules import order_dependent_function, possible_ties
from lamina.compiler.slices.incrementality import judge
from lamina.compiler.slices.verdict import Refused, Verdict
from lamina.compiler.subject import ProjectSubject, Subject
from lamina.project.source import SourceTable
from lamina.strategies.traits import Traits
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import ModelName

ORDER_CODES = frozenset({order_dependent_function.RULE.code, possible_ties.RULE.code})
"""Rules that show a result to depend on the order of rows."""


def check_model(subject: Subject) -> tuple[Diagnostic, ...]:
    """Return what the rules find in one model, and what its verdict refuses."""
    found = [item for violations in rules_of_model() for item in violations(subject)]
    if isinstance(subject.verdict, Refused):
        path, name = subject.file.path, subject.model.name
        found += [item.replace(file=item.file or path, model=name) for item in subject.verdict.refusals]
    return tuple(demote(found, subject.model.settings.allow)) if found else ()


def check_project(linked: Sequence[Linked], sources: tuple[SourceTable, ...]) -> tuple[Diagnostic, ...]:
    """Return what the rules find that look at the whole project."""
    allowed = {item.model.name: item.model.settings.allow for item in linked}
    subject = ProjectSubject(linked, sources)
    found = [item for violations in rules_of_project() for item in violations(subject)]
    return tuple(shown for item in found for shown in demote([item], allowed.get(ModelName(item.model or ""), ())))


def verdict_of(subject: Subject, traits: Traits) -> Verdict | None:
    """Judge a model's incrementality under a strategy; None where its query cannot be looked into."""
    if subject.shape is None or not subject.shape.blocks:
        return None
    zone, is_dated = subject.model.settings.timezone, bound_type(subject.model) == "date"
    return judge(traits, subject.shape, inputs=subject.inputs, zone=zone, is_dated=is_dated)


def demote(found: Iterable[Diagnostic], allowed: Iterable[str]) -> Iterator[Diagnostic]:
    """Turn allowed findings into information that says so."""
    codes = {code for code in allowed if code in demotable()}
    for item in found:
        if item.code in codes:
            yield item.replace(severity="info", message=f"allowed: {item.message}")
        else:
            yield item
