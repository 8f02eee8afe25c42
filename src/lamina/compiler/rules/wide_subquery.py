"""L223: a subquery that stands for one value returns several columns.

Why: Spark would refuse the query when the model runs.
Fix: return the one column that is compared or used; for pairs, write `(a, b) IN (SELECT a, b ...)`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L223", name="WideSubquery")


def finding(columns: int, *, place: Place) -> Diagnostic:
    """Return the finding for one subquery."""
    return RULE.finding(
        f"a subquery stands for one value, and returns {columns} columns",
        place=place,
        hint="return one column only",
    )
