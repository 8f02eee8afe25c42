"""L433: a declared source table is read by no model.

Why: it is probably misspelt somewhere, or left over.
Fix: read it, or remove it.
"""

from collections.abc import Iterable, Iterator

from lamina.compiler.graph import CompiledModel
from lamina.project.source import SourceTable
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L433", name="UnusedSource", severity="warning")


def violations(sources: Iterable[SourceTable], models: Iterable[CompiledModel]) -> Iterator[Diagnostic]:
    """Yield each declared table nobody reads."""
    read = {name.lower() for model in models for name in model.depends_on}
    for table in sources:
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
