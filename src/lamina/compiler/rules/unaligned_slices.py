"""L418: two filtered inputs are joined without their times being equal.

Why: rows of neighbouring slices meet in a batch of two slices and do not in two batches of one.
Fix: join on the time column too, or filter one input only and declare a `window` for the other.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L418", name="UnalignedSlices")


def finding(first: str, second: str, *, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"`{first}` and `{second}` are both filtered by the range, but the join does not make them equal",
        hint=f"join on `{first} = {second}`, or set `batch_size = 1`",
        at=at,
    )


def finding_of_preserved(preserved: str, cut: str, *, at: At) -> Diagnostic:
    """Return the finding for an outer join of which only the nullable side is cut."""
    return RULE.finding(
        f"`{cut}` is filtered by the range, but every row of `{preserved}` stays in every slice",
        hint=f"filter `{preserved}` by the range in WHERE too, and join on the time",
        at=at,
    )


def finding_of_subquery(*, at: At) -> Diagnostic:
    """Return the finding for a subquery that is cut by itself."""
    return RULE.finding(
        "the subquery is filtered by the range on its own, so its value depends on how batches are cut",
        hint="compare its time column with the one outside, or set `batch_size = 1`",
        at=at,
    )
