"""L415: a window or join reaches outside the range of the slice.

Why: the slice would depend on rows that were not read, or that may change without the slice being rebuilt.
Fix: partition by the time column; or read from `@start_date - INTERVAL n DAYS`, filter again, and declare `window`;
for later rows, up to `@end_date + INTERVAL n DAYS` with `window = { after = "n days" }`.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L415", name="ReachOutsideRange")


def finding(found: str, *, hint: str, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(found, hint=hint, at=at)
