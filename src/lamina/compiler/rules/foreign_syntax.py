"""L219: a query uses syntax that Spark does not have.

Why: the parser also reads what other databases write (QUALIFY, `CAST(... AS TEXT)`, a comma after the last column);
Spark would refuse the query when the model runs.
Fix: write it as Spark does; the hint says how.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L219", name="ForeignSyntax")


def finding(problem: str, *, place: Place, instead: str) -> Diagnostic:
    """Return the finding for one piece of syntax."""
    return RULE.finding(problem, place=place, hint=instead)
