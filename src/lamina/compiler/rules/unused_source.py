"""L433: a declared source table is read by no model.

Why: its name is probably misspelt in a query, or the source is no longer used.
Fix: read it, or remove it.
"""

from collections.abc import Iterator

from lamina.compiler.subject import ProjectSubject
from lamina.project.source import SourceTable
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import folded_names
from lamina.values.rule import Rule

RULE = Rule(code="L433", name="UnusedSource", severity="warning", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield each declared table that no model reads."""
    models = [item.model for item in subject.linked]
    read: set[str] = set().union(*((*model.depends_on, *model.looked_up.values()) for model in models))
    unread = [table for table in subject.sources if table.name not in read]
    folded = folded_names(read) if unread else frozenset[str]()
    for table in unread:
        if table.name.lower() in folded or table.places is None:
            continue
        yield RULE.finding(
            f"source table `{table.name}` is read by no model",
            place=table.places.of(_key(table)),
            hint="read it in a model, or remove it",
        )


def _key(table: SourceTable) -> str:
    source, _, name = table.name.partition(".")
    return f"source.{source}.tables.{name}"
