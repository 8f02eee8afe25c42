"""L402: an incremental model removes duplicates of its driving input.

Why: a build compares only the new rows with each other, so a row that was loaded before is loaded again.
Fix: use `merge` with the distinct columns as `unique_key`, or `full_refresh`.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L402", name="IncrementalDistinct")


def finding(driver: TableName, *, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"DISTINCT compares only the new rows of `{driver}` with each other",
        hint="use `merge` with a `unique_key`, or `full_refresh`",
        at=at,
    )
