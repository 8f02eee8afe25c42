"""L213: a column is qualified by a table or alias the query does not have.

Why: Spark would refuse the query when the model runs; an aliased table is known by its alias only.
Fix: use the alias of the FROM clause.
"""

from lamina.compiler.rules import unknown_column
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.nearest import nearest
from lamina.values.rule import Rule

RULE = Rule(code="L213", name="UnknownRelation")


def finding(name: str, *, place: Place, known: tuple[str, ...]) -> Diagnostic:
    """Return the finding for one unknown qualifier, given the columns that could be meant."""
    if unnamed := unknown_column.finding_of_unnamed(name, place=place, known=known):
        return unnamed
    close = nearest(name, sorted(set(known)))
    hint = f"did you mean `{close}`?" if close else "use an alias of the FROM clause"
    return RULE.finding(f"the query has no table, alias or column `{name}`", place=place, hint=hint, suggestion=close)
