"""L103: a symbolic link points outside the project.

Why: files outside the project are not versioned with it, and a plan could not say what it was made from.
Fix: copy the file into the project, or link to a place inside it.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L103", name="OutsideSymlink")


def finding(path: str) -> Diagnostic:
    """Return the finding for one link."""
    hint = "copy the file into the project"
    return RULE.finding(f"symbolic link `{path}` points outside the project", place=Place(file=path), hint=hint)
