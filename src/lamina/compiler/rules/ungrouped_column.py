"""L216: a column is neither grouped nor aggregated.

Why: a group has many values of such a column, so Spark refuses the query when the model runs.
Fix: add the column to GROUP BY, or take one value of it, with `max` or `any_value`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L216", name="UngroupedColumn")


def finding(name: str, *, place: Place) -> Diagnostic:
    """Return the finding for one column beside GROUP BY."""
    hint = f"add `{name}` to GROUP BY, or aggregate it: `max({name})`, `any_value({name})`"
    return RULE.finding(f"column `{name}` is neither in GROUP BY nor inside an aggregate", place=place, hint=hint)


def finding_of_star(names: tuple[str, ...], *, place: Place) -> Diagnostic:
    """Return the finding for the columns of a star that GROUP BY does not mention."""
    others = len(names) - 1
    what = f"`{names[0]}` and {others} more columns that are" if others else f"`{names[0]}`, which is"
    hint = "name the columns to select: those in GROUP BY, and aggregates of others"
    return RULE.finding(f"`*` includes {what} not in GROUP BY", place=place, hint=hint)


def finding_without_group(name: str, *, place: Place) -> Diagnostic:
    """Return the finding for one column beside an aggregate, where there is no GROUP BY."""
    hint = "list the columns in a GROUP BY" if name == "*" else f"add `GROUP BY {name}`, or aggregate it as well"
    return RULE.finding(f"`{name}` is used beside an aggregate, and there is no GROUP BY", place=place, hint=hint)
