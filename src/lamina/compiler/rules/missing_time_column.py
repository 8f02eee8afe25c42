"""L246: the time column is not in the output.

Why: the time column decides to which slice a row belongs.
Fix: select the column, or correct `time_column`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L246", name="MissingTimeColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield the time column if the output lacks it."""
    slices = subject.model.traits.slices
    if slices is None or subject.has_column(slices.time_column):
        return
    close = subject.close_column(slices.time_column)
    yield RULE.finding(
        f"time column `{slices.time_column}` is not a column of `{subject.model.name}`",
        place=subject.place_of("strategy.time_column"),
        model=subject.model.name,
        hint=suggestion_hint(close, "add the column to the query, or correct `time_column`"),
        suggestion=close,
    )
