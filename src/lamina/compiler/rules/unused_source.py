"""L433: a declared source table is read by no model.

Why: its name is probably misspelt in a query, or the source is no longer used.
Fix: read it, or remove it.
"""

from collections.abc import Iterator

from lamina.compiler.subject import ProjectSubject
from lamina.project.source import SourceTable
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L433", name="UnusedSource", severity="warning", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield each declared table that no model reads."""
    models = (item.model for item in subject.linked)
    read = {name.lower() for model in models for name in (*model.depends_on, *model.looked_up.values())}
    for table in subject.sources:
        if table.name.lower() in read or table.places is None:
            continue
        yield RULE.finding(
            f"source table `{table.name}` is read by no model",
            place=table.places.of(_key(table)),
            hint="read it in a model, or remove it",
        )


def _key(table: SourceTable) -> str:
    source, _, name = table.name.partition(".")
    return f"source.{source}.tables.{name}"
