"""L404: an incremental model limits the rows of its driving input.

Why: each build would keep that many rows again.
Fix: remove the LIMIT, or use `full_refresh`.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L404", name="IncrementalLimit")


def finding(driver: TableName, *, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"LIMIT applies to the new rows of `{driver}` at each build",
        hint="remove the LIMIT, or use `full_refresh`",
        at=at,
    )
