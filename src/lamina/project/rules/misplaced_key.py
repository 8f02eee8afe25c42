"""L128: a key belongs to another type.

Why: the strategy, check or source type that is chosen does not have this setting.
Fix: remove the key, or choose the type that has it.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L128", name="MisplacedKey")


def finding(key: str, *, place: Place, of: str, owners: tuple[str, ...]) -> Diagnostic:
    """Return the finding for one key, with the types that have it."""
    listed = ", ".join(f"`{owner}`" for owner in owners)
    return RULE.finding(f"`{key}` is not a setting of {of}", place=place, hint=f"it belongs to {listed}")
