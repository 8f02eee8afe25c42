"""L313: a value in a unit test is not of its column's type.

Why: the model would be tested with rows that its input cannot have, or compared with rows it cannot give.
Fix: write the value as the hint shows; texts are read as dates, times and decimals where the column has such a type.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L313", name="UnfitTestValue")


def finding(column: str, *, place: Place, model: str, problem: str, hint: str) -> Diagnostic:
    """Return the finding for one value."""
    return RULE.finding(f"column `{column}`: {problem}", place=place, model=model, hint=hint)
