"""L401: an incremental model aggregates its driving input.

Why: a build sees only the new rows, so a sum or count over them is not the sum or count over all rows.
Fix: use `full_refresh` or `time_interval`, or aggregate in a model that reads this one.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L401", name="IncrementalAggregate")


def finding(driver: TableName, *, clause: str, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"{clause} combines rows of `{driver}`, but a build sees only the new ones",
        hint="use `full_refresh` or `time_interval`, or aggregate in a model that reads this one",
        at=at,
    )
