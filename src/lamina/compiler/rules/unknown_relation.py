"""L213: a column is qualified by a table or alias the query does not have.

Why: Spark would refuse the query when the model runs; an aliased table is known by its alias only.
Fix: use the alias of the FROM clause.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L213", name="UnknownRelation")


def finding(name: str, *, place: Place, model: str, nearest: str | None) -> Diagnostic:
    """Return the finding for one unknown qualifier."""
    hint = f"did you mean `{nearest}`?" if nearest else "use an alias of the FROM clause"
    return RULE.finding(
        f"the query has no table, alias or column `{name}`", place=place, model=model, hint=hint, suggestion=nearest
    )
