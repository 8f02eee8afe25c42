"""L118: a name cannot be used.

Why: names become table names that every engine must read; `__` is reserved for lamina's own tables.
Fix: use letters, digits and single underscores, not starting with a digit.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L118", name="InvalidName")


def finding(name: str, *, place: Place, what: str) -> Diagnostic:
    """Return the finding for the name of a model, schema, source, table, column or variable."""
    hint = "use letters, digits and single underscores, not starting with a digit"
    return RULE.finding(f"`{name}` cannot be the name of a {what}", place=place, hint=hint)
