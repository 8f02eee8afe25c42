"""L138: two unit tests have one name.

Why: a result could be of either, and only one of them would be run.
Fix: rename one of them.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L138", name="DuplicateTest")


def finding(name: str, *, place: Place, first: Place) -> Diagnostic:
    """Return the finding for the second of two tests."""
    return RULE.finding(f"the unit test `{name}` is also in `{first}`", place=place, hint="rename one of them")
