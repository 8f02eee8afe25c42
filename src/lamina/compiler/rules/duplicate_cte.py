"""L224: two CTEs of one WITH have the same name.

Why: Spark would refuse the query when the model runs.
Fix: rename one of them.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L224", name="DuplicateCte")


def finding(name: str, *, place: Place) -> Diagnostic:
    """Return the finding for the later one of two CTEs."""
    return RULE.finding(f"two CTEs are named `{name}`", place=place, hint="rename one of them")
