"""L310: a unit test names no model that can be tested.

Why: the test would test nothing. A seed has no query, so there is nothing to test in it.
Fix: correct the name; `lamina list` shows all models.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L310", name="UnknownTestModel")


def finding(name: str, *, place: Place, nearest: str | None) -> Diagnostic:
    """Return the finding for a name that no model has."""
    hint = f"did you mean `{nearest}`?" if nearest else "`lamina list` shows all models"
    return RULE.finding(f"no model `{name}`", place=place, hint=hint, suggestion=nearest)


def finding_of_seed(name: str, *, place: Place) -> Diagnostic:
    """Return the finding for a test of a seed."""
    return RULE.finding(
        f"`{name}` is a seed: it has no query to test", place=place, model=name, hint="test a model that reads it"
    )
