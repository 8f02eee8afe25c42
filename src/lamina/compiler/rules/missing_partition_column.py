"""L245: a column of partition_by is not in the output.

Why: the key tuples in the output decide what is replaced.
Fix: select the column, or correct `partition_by`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, missing_columns, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L245", name="MissingPartitionColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each partition column that the output lacks."""
    columns = subject.model.traits.partition_by
    for column, place, close in missing_columns(subject, "strategy.partition_by", columns):
        hint = suggestion_hint(close, "add the column to the query, or correct `partition_by`")
        message = f"partition column `{column}` is not a column of `{subject.model.name}`"
        yield RULE.finding(message, place=place, model=subject.model.name, hint=hint, suggestion=close)
