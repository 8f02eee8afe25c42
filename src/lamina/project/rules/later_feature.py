"""L116: a feature is not in this version.

Why: if the setting were ignored, the project would promise something that does not happen.
Fix: remove the setting until a version that has the feature.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L116", name="LaterFeature")


def finding(what: str, *, place: Place | None) -> Diagnostic:
    """Return the finding for a documented setting that is not built yet."""
    return RULE.finding(f"{what} is not in this version", place=place, hint="remove it")
