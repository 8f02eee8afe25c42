"""L110: a key is not known.

Why: a misspelt key would silently leave its setting at the default.
Fix: use the nearest known key, move it to the table where it belongs, or remove it.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L110", name="UnknownKey")


def finding(key: str, *, place: Place, nearest: str | None, homes: tuple[str, ...] = ()) -> Diagnostic:
    """Return the finding for one unknown key; `homes` are where it would be known."""
    meant = " or ".join((*([f"`{nearest}`"] if nearest else []), *homes))
    hint = f"did you mean {meant}?" if meant else None
    return RULE.finding(f"unknown key `{key}`", place=place, hint=hint, suggestion=nearest)
