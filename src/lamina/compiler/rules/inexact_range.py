"""L414: a bound of the range is inclusive, shifted or compared in another way than half-open.

Why: slices are half-open `[start, end)`: with `<=` or BETWEEN a row on the border is in two slices, with `>` in none.
Fix: use `column >= @start_date AND column < @end_date`.
"""

from lamina.compiler.operators import At
from lamina.compiler.verdict import Refusal
from lamina.values.rule import Rule

RULE = Rule(code="L414", name="InexactRange")


def refusal(found: str, *, column: str, at: At) -> Refusal:
    """Return the refusal for one clause."""
    return Refusal(
        code=RULE.code,
        message=f"{found}, but a slice is half-open",
        hint=f"use `{column} >= @start_date AND {column} < @end_date`",
        at=at,
    )
