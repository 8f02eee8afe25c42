"""L271: two models say that they were renamed from the same one.

Why: a table moves to one model, with its rows and what is recorded of it.
Fix: keep `renamed_from` in the model that goes on with the table, and remove it from the others, which are then built.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L271", name="RenamedFromTwice")


def finding(before: str, *, place: Place, model: str, other: str) -> Diagnostic:
    """Return the finding for one of several models with the same former name."""
    return RULE.finding(
        f"`{model}` and `{other}` both say that they were renamed from `{before}`",
        place=place,
        model=model,
        hint="keep `renamed_from` in the model that goes on with the table",
    )
