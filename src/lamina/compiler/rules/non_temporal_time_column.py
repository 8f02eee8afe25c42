"""L247: the time column is not a date or a timestamp.

Why: slices are ranges of time.
Fix: cast the column to `date` or `timestamp`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule
from lamina.values.schema import UNKNOWN

RULE = Rule(code="L247", name="NonTemporalTimeColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield the time column if its type is known and not temporal."""
    slices = subject.model.traits.slices
    if slices is None:
        return
    column = subject.column(slices.time_column)
    if column is None or column.type in ("date", "timestamp", "timestamp_ntz", UNKNOWN):
        return
    yield RULE.finding(
        f"time column `{column.name}` of `{subject.model.name}` is `{column.type}`, neither a date nor a timestamp",
        place=subject.place_of("strategy.time_column"),
        model=subject.model.name,
        hint="cast it to `date` or `timestamp`",
    )
