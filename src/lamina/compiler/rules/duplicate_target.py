"""L205: two models write the same table.

Why: each would replace the rows of the other.
Fix: change `alias` or `schema` of one of them.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L205", name="DuplicateTarget")


def finding(target: str, *, place: Place, model: str, other: str) -> Diagnostic:
    """Return the finding for the second model of one target."""
    return RULE.finding(
        f"`{model}` and `{other}` both write the table `{target}`",
        place=place,
        model=model,
        hint="change `alias` or `schema` of one of them",
    )
