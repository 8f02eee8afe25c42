"""L115: a setting is not one of its allowed values.

Why: a misspelt word would silently mean the default, such as a full rebuild instead of a merge.
Fix: use one of the words listed.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L115", name="InvalidChoice")


def finding(key: str, *, place: Place, value: str, choices: tuple[str, ...], nearest: str | None) -> Diagnostic:
    """Return the finding for one word, with the nearest of the possible ones."""
    listed = ", ".join(f"`{choice}`" for choice in choices)
    hint = f"did you mean `{nearest}`?" if nearest else f"use one of {listed}"
    return RULE.finding(f"`{key}` cannot be `{value}`", place=place, hint=hint, suggestion=nearest)
