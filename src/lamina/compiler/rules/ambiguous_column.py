"""L212: an unqualified column exists in several inputs of a query.

Why: Spark refuses such a name, because each input could be meant.
Fix: write the table or its alias before the column.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L212", name="AmbiguousColumn")


def finding(name: str, *, place: Place, relations: tuple[str, ...]) -> Diagnostic:
    """Return the finding for one ambiguous column."""
    named = " and ".join(f"`{item}`" for item in relations)
    return RULE.finding(
        f"column `{name}` is ambiguous: it is in {named}",
        place=place,
        hint=f"write `{relations[0]}.{name}`",
    )
