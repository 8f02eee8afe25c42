"""L312: a unit test names a column that its table does not have.

Why: the value would be given to nothing, or compared with nothing.
Fix: correct the name; `lamina explain MODEL` shows the columns of a model.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule
from lamina.values.schema import Schema
from lamina.values.words import listed

RULE = Rule(code="L312", name="UnknownTestColumn")


def finding(name: str, *, place: Place, model: str, table: str, nearest: str | None, columns: Schema) -> Diagnostic:
    """Return the finding for one column."""
    hint = f"did you mean `{nearest}`?" if nearest else f"it has {listed(column.name for column in columns)}"
    return RULE.finding(f"`{table}` has no column `{name}`", place=place, model=model, hint=hint, suggestion=nearest)
