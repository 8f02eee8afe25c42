"""L418: two filtered inputs are joined without their times being equal.

Why: rows of neighbouring slices meet in a batch of two slices and do not in two batches of one.
Fix: join on the time column too, or filter one input only and declare a `window` for the other.
"""

from lamina.compiler.query.operators import At
from lamina.compiler.slices.verdict import Refusal
from lamina.values.rule import Rule

RULE = Rule(code="L418", name="UnalignedSlices")


def refusal(first: str, second: str, *, at: At) -> Refusal:
    """Return the refusal for one clause."""
    return Refusal(
        code=RULE.code,
        message=f"`{first}` and `{second}` are both filtered by the range, but the join does not make them equal",
        hint=f"join on `{first} = {second}`, or set `batch_size = 1`",
        at=at,
    )


def refusal_of_preserved(preserved: str, cut: str, *, at: At) -> Refusal:
    """Return the refusal for an outer join of which only the nullable side is cut."""
    return Refusal(
        code=RULE.code,
        message=f"`{cut}` is filtered by the range, but every row of `{preserved}` stays in every slice",
        hint=f"filter `{preserved}` by the range in WHERE too, and join on the time",
        at=at,
    )


def refusal_of_subquery(*, at: At) -> Refusal:
    """Return the refusal for a subquery that is cut by itself."""
    return Refusal(
        code=RULE.code,
        message="the subquery is filtered by the range on its own, so its value depends on how batches are cut",
        hint="compare its time column with the one outside, or set `batch_size = 1`",
        at=at,
    )
