"""L223: a subquery returns too many or too few columns for the place where it is used.

Why: Spark would refuse the query when the model runs.
Fix: return one column for one value; for several, write `(a, b) IN (SELECT a, b ...)`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L223", name="WideSubquery")


def finding(columns: int, *, place: Place, wanted: int) -> Diagnostic:
    """Return the finding for one subquery."""
    wanted_words = "one value" if wanted == 1 else f"{wanted} values"
    returned = "one column" if columns == 1 else f"{columns} columns"
    hint = "return one column only" if wanted == 1 else f"return {wanted} columns"
    return RULE.finding(f"a subquery is used for {wanted_words}, and returns {returned}", place=place, hint=hint)
