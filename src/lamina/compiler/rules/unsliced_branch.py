"""L423: a branch of a set operation is not cut to the range.

Why: its rows would be written again into every slice.
Fix: filter every branch by `@start_date` and `@end_date`.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L423", name="UnslicedBranch")


def finding(operator: str, *, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"a branch of {operator} is not filtered by `@start_date` and `@end_date`",
        hint="filter every branch by the range",
        at=at,
    )
