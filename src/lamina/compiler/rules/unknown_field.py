"""L225: a query reads a field that a column does not have.

Why: Spark would refuse the query when the model runs.
Fix: correct the name of the field, or of the table or column before it.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.nearest import nearest
from lamina.values.rule import Rule

RULE = Rule(code="L225", name="UnknownField")

MOST_LISTED = 8


def finding(name: str, *, place: Place, owner: str, kind: str, known: tuple[str, ...]) -> Diagnostic:
    """Return the finding for one field, given the fields there are, or the type that has none."""
    if not known:
        hint = f"only a struct has fields; is a table or an alias `{owner}` meant?"
        return RULE.finding(f"`{owner}` is `{kind}`, and has no field `{name}`", place=place, hint=hint)
    close = nearest(name, sorted(known))
    listed = ", ".join(f"`{field}`" for field in known[:MOST_LISTED])
    hint = f"did you mean `{close}`?" if close else f"its fields are {listed}"
    return RULE.finding(f"`{owner}` has no field `{name}`", place=place, hint=hint, suggestion=close)
