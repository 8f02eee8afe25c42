"""L104: a folder is reached twice.

Why: a link to a folder that is already read would make the scan endless, or define every model in it twice.
Fix: remove the symbolic link.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L104", name="RepeatedFolder")


def finding(path: str) -> Diagnostic:
    """Return the finding for the second way into a folder."""
    hint = "remove the symbolic link"
    return RULE.finding(f"folder `{path}` is already part of the project", place=Place(file=path), hint=hint)
