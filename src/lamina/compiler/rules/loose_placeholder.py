"""L420: a bound of the range is used outside a range filter.

Why: the value of the expression depends on how batches are cut.
Fix: compare a column with `@start_date` and `@end_date` in WHERE, or set `batch_size = 1`.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L420", name="LoosePlaceholder")


def finding(*, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        "`@start_date` or `@end_date` is used outside a comparison with a column in WHERE or ON",
        hint="use it only in `column >= @start_date AND column < @end_date`, or set `batch_size = 1`",
        at=at,
    )
