"""L413: a time_interval model bounds its rows on one side only.

Why: a slice would contain rows of other slices.
Fix: use both `column >= @start_date` and `column < @end_date`.
"""

from lamina.compiler.query.operators import At
from lamina.compiler.slices.verdict import Refusal
from lamina.values.rule import Rule

RULE = Rule(code="L413", name="OneSidedRange")


def refusal(column: str, *, missing: str, at: At) -> Refusal:
    """Return the refusal for one clause."""
    return Refusal(
        code=RULE.code,
        message=f"`{column}` has no {missing}",
        hint=f"use both `{column} >= @start_date` and `{column} < @end_date`",
        at=at,
    )


def past_refusal(table: str, *, at: At) -> Refusal:
    """Return the refusal for a model that reads its own table without an end before the slice."""
    return Refusal(
        code=RULE.code,
        message=f"the model's own past, `{table}`, has no upper bound",
        hint="end it before the slice: `< @start_date` on its time column",
        at=at,
    )
