"""L417: a time_interval model limits its rows.

Why: how many rows a slice keeps would depend on how batches are cut.
Fix: number the rows per slice with a window and filter on the number.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L417", name="IntervalLimit")


def finding(*, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        "LIMIT applies to a whole batch, so the rows of a slice depend on how batches are cut",
        hint="number the rows with a window partitioned by the time column, and filter on the number",
        at=at,
    )
