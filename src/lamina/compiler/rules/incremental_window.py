"""L403: an incremental model computes a window over its driving input.

Why: a window over the new rows does not see the earlier rows of its partition.
Fix: use `full_refresh` or `time_interval`, or compute the window in a model that reads this one.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L403", name="IncrementalWindow")


def finding(driver: TableName, *, function: str, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"the window of `{function}` sees only the new rows of `{driver}`",
        hint="use `full_refresh` or `time_interval`, or compute the window in a model that reads this one",
        at=at,
    )
