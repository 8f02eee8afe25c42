"""L419: the time column is not derived from the filtered column.

Why: a row could belong to a different slice than the one it was read for.
Fix: make the time column the filtered column itself, or that column cut to the granularity or finer; with
`batch_size = 1` it may also be `@start_date`.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L419", name="UnderivedTime")


def finding(column: str, *, reason: str, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"time column `{column}` {reason}",
        hint="make it the filtered column itself, or that column cut to the granularity or finer",
        at=at,
    )
