"""L215: a query returns two columns with the same name.

Why: a table cannot have two columns with the same name, and names are compared without case.
Fix: give one of them an alias.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L215", name="DuplicateColumn")


def finding(name: str, *, place: Place, model: str) -> Diagnostic:
    """Return the finding for one repeated output column."""
    return RULE.finding(
        f"the query returns more than one column named `{name}`", place=place, model=model, hint="give one an alias"
    )
