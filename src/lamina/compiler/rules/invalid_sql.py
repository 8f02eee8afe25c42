"""L207: a query is not valid Spark SQL.

Why: nothing can be said about a query that cannot be parsed.
Fix: correct the syntax at the place shown.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L207", name="InvalidSql")


def finding(reason: str, *, place: Place, hint: str = "correct the Spark SQL here") -> Diagnostic:
    """Return the finding for one syntax error."""
    return RULE.finding(f"the query cannot be parsed: {reason}", place=place, hint=hint)


def finding_of_hidden_name(*, place: Place) -> Diagnostic:
    """Return the finding for a name that is only known as a value, so that what the query reads cannot be known."""
    return RULE.finding(
        "what the query reads is not known before it runs: a name is computed with `IDENTIFIER`",
        place=place,
        hint="write the name itself",
    )
