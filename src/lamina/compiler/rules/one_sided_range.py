"""L413: a time_interval model bounds its rows on one side only.

Why: a slice would contain rows of other slices.
Fix: use both `column >= @start_date` and `column < @end_date`.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L413", name="OneSidedRange")


def finding(column: str, *, missing: str, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"`{column}` has no {missing}", hint=f"use both `{column} >= @start_date` and `{column} < @end_date`", at=at
    )


def finding_of_past(table: str, *, at: At) -> Diagnostic:
    """Return the finding for a model that reads its own table without an end before the slice."""
    return RULE.finding(
        f"the model's own past, `{table}`, has no upper bound",
        hint="end it before the slice: `< @start_date` on its time column",
        at=at,
    )
