"""L249: the time column is coarser than the granularity.

Why: a date has no hours, so all rows of a day fall into its first slice.
Fix: use a timestamp, or `granularity = "day"`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L249", name="CoarseTimeColumn")

BELOW_DAY = frozenset({"minute", "5 minutes", "15 minutes", "30 minutes", "hour"})


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a date column with slices shorter than a day."""
    slices = subject.model.traits.slices
    if slices is None or slices.unit not in BELOW_DAY:
        return
    column = subject.column(slices.time_column)
    if column is None or column.type != "date":
        return
    yield RULE.finding(
        f"time column `{column.name}` is a date, too coarse for slices of `{slices.unit}`",
        place=subject.place_of("strategy.time_column"),
        model=subject.model.name,
        hint='use a timestamp, or `granularity = "day"`',
    )
