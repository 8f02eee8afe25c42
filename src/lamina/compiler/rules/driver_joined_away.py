"""L406: the driving input is used where its new rows change old results.

Why: a new row of the driver can match rows that were already appended, and so change them.
Fix: put the driver on the side of the join that keeps all its rows, or name another `driver`, or use `full_refresh`.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L406", name="DriverJoinedAway")


def finding(driver: TableName, *, where: str, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"`{driver}` is read in {where}, where a new row changes rows already appended",
        hint="put it on the side of the join that keeps all its rows, name another `driver`, or use `full_refresh`",
        at=at,
    )
