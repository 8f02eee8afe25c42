"""L222: a column of a set operation has types in its branches that do not fit one type.

Why: UNION, INTERSECT and EXCEPT pair columns by position, and Spark refuses a pair such as `int` and `date`.
Fix: put the columns of all branches in the same order, or cast one of the two.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L222", name="IncompatibleBranches")


def finding(name: str, *, place: Place, types: tuple[str, ...]) -> Diagnostic:
    """Return the finding for one column, given the two types."""
    return RULE.finding(
        f"column `{name}` of a set operation is `{types[0]}` in one branch and `{types[1]}` in another",
        place=place,
        hint="put the columns of all branches in the same order, or cast one of the two",
    )
