"""L120: two names differ only in case.

Why: Spark and most catalogs compare names without case, so both mean the same table.
Fix: rename one of them.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L120", name="CaseClash")


def finding(name: str, *, place: Place, other: str) -> Diagnostic:
    """Return the finding for the second of two names."""
    message = f"`{name}` and `{other}` differ only in case"
    return RULE.finding(message, place=place, model=name, hint="rename one of them")
