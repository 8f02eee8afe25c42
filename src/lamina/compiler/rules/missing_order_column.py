"""L243: a column of order_by is not in the output.

Why: the stored order decides whether a row may overwrite another, so it is kept in the table.
Fix: select the column, or correct `order_by`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, missing_columns, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L243", name="MissingOrderColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each order column that the output lacks."""
    upsert = subject.model.traits.upsert
    if upsert is None:
        return
    for column, place, close in missing_columns(subject, "strategy.order_by", upsert.order_by):
        hint = suggestion_hint(close, "add the column to the query, or correct `order_by`")
        message = f"order column `{column}` is not a column of `{subject.model.name}`"
        yield RULE.finding(message, place=place, model=subject.model.name, hint=hint, suggestion=close)
