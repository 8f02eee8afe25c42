"""L117: a required key is missing.

Why: the setting has no default that would be right for every project.
Fix: add the key.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L117", name="MissingKey")


def finding(key: str, *, place: Place, needed_by: str) -> Diagnostic:
    """Return the finding for one absent key."""
    return RULE.finding(f"{needed_by} needs `{key}`", place=place, hint=f"add `{key}`")
