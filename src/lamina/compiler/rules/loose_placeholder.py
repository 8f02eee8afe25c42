"""L420: a bound of the range is used outside a range filter.

Why: the value of the expression depends on how batches are cut.
Fix: compare a column with `@start_date` and `@end_date` in WHERE, or set `batch_size = 1`.
"""

from lamina.compiler.query.operators import At
from lamina.compiler.slices.verdict import Refusal
from lamina.values.rule import Rule

RULE = Rule(code="L420", name="LoosePlaceholder")


def refusal(*, at: At) -> Refusal:
    """Return the refusal for one clause."""
    return Refusal(
        code=RULE.code,
        message="`@start_date` or `@end_date` is used outside a comparison with a column in WHERE or ON",
        hint="use it only in `column >= @start_date AND column < @end_date`, or set `batch_size = 1`",
        at=at,
    )
