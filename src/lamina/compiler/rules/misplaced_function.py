"""L220: an aggregate, a window function or a function that makes rows is used where Spark refuses it.

Why: WHERE and GROUP BY are evaluated before there are groups, and window functions last of all; a function that numbers
or looks along rows needs a window with an order. A window takes no DISTINCT, no FILTER and no function of one row;
`explode` and its like make rows only as a column of their own.
Fix: use HAVING for aggregates; compute a window function in a subquery or CTE, and filter its column outside.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L220", name="MisplacedFunction")


def finding(problem: str, *, place: Place, instead: str) -> Diagnostic:
    """Return the finding for one call."""
    return RULE.finding(problem, place=place, hint=instead)
