"""L136: a variable's value is not of its type.

Why: it is written into queries as a literal of that type, which Spark would refuse, or read as something else.
Fix: correct the value or the type; dates are `2026-01-31`, booleans `true` or `false`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L136", name="InvalidVariable")


def finding(variable: str, *, place: Place, kind: str, value: str) -> Diagnostic:
    """Return the finding for one variable."""
    hint = "correct the value or the type"
    return RULE.finding(
        f"the value of variable `{variable}` is not of type `{kind}`: `{value}`", place=place, hint=hint
    )
