"""L291: a column that rows are to be compared by does not exist, or has values that cannot be compared.

Why: each combination of values of `checksum_by` is one partition with a checksum of its own. Lists, maps and structs
are no names of partitions.
Fix: name columns of the source table with plain values.
"""

from collections.abc import Iterator

from lamina.compiler.subject import ProjectSubject, find_column, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.nearest import nearest
from lamina.values.rule import Rule

RULE = Rule(code="L291", name="UnfitChecksumColumn", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield each such column of a source table whose columns are known."""
    for table in subject.sources:
        if table.places is None or not table.columns:
            continue
        source, _, name = table.name.partition(".")
        for number, column in enumerate(table.checksum_by):
            found = find_column(table.columns, column)
            if found is not None and "<" not in found.type and found.type != "variant":
                continue
            close = nearest(column, [str(item.name) for item in table.columns]) if found is None else None
            missing = "does not exist" if found is None else f"has values of type {found.type}"
            yield RULE.finding(
                f"column `{column}` of `checksum_by` {missing} in `{table.name}`",
                place=table.places.of(f"source.{source}.tables.{name}.checksum_by.{number}"),
                hint=suggestion_hint(close, "name columns with plain values"),
            )
