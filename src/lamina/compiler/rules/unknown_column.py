"""L211: a query uses a column its inputs do not have.

Why: Spark would refuse the query when the model runs.
Fix: correct the name, or add the column to the input.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.nearest import nearest
from lamina.values.rule import Rule

RULE = Rule(code="L211", name="UnknownColumn")
MOST_LISTED = 8


def finding(name: str, *, place: Place, relation: str | None, known: tuple[str, ...]) -> Diagnostic:
    """Return the finding for one missing column; without a relation no input of the query has it."""
    if unnamed := finding_of_unnamed(name, place=place, known=known):
        return unnamed
    where = f"`{relation}` has no column `{name}`" if relation else f"no input of the query has a column `{name}`"
    close = nearest(name, sorted(set(known)))
    hint = f"did you mean `{close}`?" if close else _listed(known)
    return RULE.finding(where, place=place, hint=hint, suggestion=close)


def finding_without_relation(name: str, *, place: Place, known: tuple[str, ...]) -> Diagnostic:
    """Return the finding for a column that no input of the query has."""
    return finding(name, place=place, relation=None, known=known)


def finding_of_order(name: str, *, place: Place, known: tuple[str, ...]) -> Diagnostic:
    """Return the finding for a column that the rows of a set operation are ordered by, and that it does not return."""
    close = nearest(name, sorted(set(known)))
    hint = f"did you mean `{close}`?" if close else _listed(known)
    return RULE.finding(f"the set operation returns no column `{name}`", place=place, hint=hint)


def _listed(known: tuple[str, ...]) -> str:
    names = [name for name in dict.fromkeys(known) if name]
    if not names:
        return "the query reads no table with columns"
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"the columns are {', '.join(f'`{item}`' for item in names[:MOST_LISTED])}{more}"


def finding_of_unnamed(name: str, *, place: Place, known: tuple[str, ...]) -> Diagnostic | None:
    """Return the finding for a name that Spark may give an expression without an alias, if an input has one."""
    if "" not in known or name.isidentifier():
        return None
    return RULE.finding(
        f"it is not certain that there is a column `{name}`: an input has a computed column without an alias",
        place=place,
        hint="give the expression an alias where it is computed, and read that",
    )
