"""L106: a file is not UTF-8 text.

Why: in another encoding the same bytes mean other names and values.
Fix: save the file as UTF-8.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L106", name="InvalidUtf8")


def finding(path: str, *, line: int, column: int) -> Diagnostic:
    """Return the finding for the first byte that is not UTF-8."""
    place = Place(file=path, line=line, column=column)
    return RULE.finding(f"file `{path}` is not UTF-8 text", place=place, hint="save the file as UTF-8")
