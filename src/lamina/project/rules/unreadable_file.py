"""L108: a file cannot be read.

Why: leaving it out would silently leave out a model.
Fix: correct its permissions or its name, or remove it.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L108", name="UnreadableFile")


def finding(path: str, *, reason: str) -> Diagnostic:
    """Return the finding for a file or folder, with the reason the system gave."""
    shown = path or "."  # the project's own folder
    return RULE.finding(f"`{shown}` cannot be read: {reason}", place=Place(file=shown))
