"""L240: a merge key is not in the output.

Why: rows are matched by the key, so the query must produce it.
Fix: select the column, or correct `unique_key`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, missing_columns, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L240", name="MissingMergeKey")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each merge key that the output lacks."""
    upsert = subject.model.traits.upsert
    if upsert is None:
        return
    for column, place, close in missing_columns(subject, "strategy.unique_key", upsert.key):
        hint = suggestion_hint(close, "add the column to the query, or correct `unique_key`")
        message = f"merge key `{column}` is not a column of `{subject.model.name}`"
        yield RULE.finding(message, place=place, model=subject.model.name, hint=hint, suggestion=close)
