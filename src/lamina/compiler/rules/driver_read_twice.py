"""L407: the driving input is joined with itself.

Why: a build would join new rows with new rows only, and miss the pairs of a new and an old row.
Fix: use `full_refresh`, or read the other copy through a model that is a side input.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L407", name="DriverReadTwice")


def finding(driver: TableName, *, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"`{driver}` is joined with itself, so a build would miss pairs of new and old rows",
        hint="use `full_refresh` or `time_interval`",
        at=at,
    )
