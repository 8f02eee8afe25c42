"""L405: an incremental model combines its driving input by a set operation that is not row by row.

Why: UNION, INTERSECT and EXCEPT compare whole results; a branch without the driver would be appended at each build.
Fix: use UNION ALL of branches that all read the driver, or `full_refresh`.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L405", name="IncrementalSetOperation")


def finding(driver: TableName, *, clause: str, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"{clause} compares only the new rows of `{driver}` with the other side",
        hint="use UNION ALL of branches that all read the driver, or `full_refresh`",
        at=at,
    )


def finding_of_mixture(driver: TableName, *, at: At) -> Diagnostic:
    """Return the finding for a branch that does not read the driver."""
    return RULE.finding(
        f"a branch of UNION ALL does not read `{driver}`, so each build would append it again",
        hint="put that branch into a model of its own, or use `full_refresh`",
        at=at,
    )
