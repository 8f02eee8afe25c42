"""L119: two files define the same model.

Why: both would write the same table.
Fix: rename one of the files, or move it to another schema folder.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L119", name="DuplicateModel")


def finding(name: str, *, path: str, other: str) -> Diagnostic:
    """Return the finding for the second file of a model."""
    hint = f"it is already defined by `{other}`; rename one of them"
    return RULE.finding(f"model `{name}` is defined by two files", place=Place(file=path), model=name, hint=hint)
