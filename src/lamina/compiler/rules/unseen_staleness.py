"""L276: `on_stale = "hold"` for a source that does not say without Spark how old its rows are.

Why: whether a source is stale is decided before anything is planned, without Spark. ORC and Avro files and databases do
not say it, nor do columns of other types than `date` and `timestamp`, so its readers would never be held.
Fix: use `on_stale = "report"` and `lamina freshness`, which reads the rows, or read the source into a model and put the
freshness there.
"""

from collections.abc import Iterator

from lamina.compiler.subject import ProjectSubject, find_column
from lamina.project.source import SourceTable
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L276", name="UnseenStaleness", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield each source whose readers are to be held, and whose age is not seen."""
    for table in subject.sources:
        watched = table.freshness
        if watched is None or watched.held_after is None or table.places is None or _is_seen(table, watched.column):
            continue
        source, _, name = table.name.partition(".")
        yield RULE.finding(
            f"readers of `{table.name}` cannot be held: it is {table.in_words}, and without Spark the times of "
            f"`{watched.column}` are not seen",
            place=table.places.of(f"source.{source}.tables.{name}.freshness"),
            hint='use `on_stale = "report"`, or put `[freshness]` on a model that reads it',
        )


def _is_seen(table: SourceTable, name: str) -> bool:
    column = find_column(table.columns, name)
    is_seen = bool(table.types_seen) if column is None else column.type in table.types_seen
    return table.is_table or is_seen
