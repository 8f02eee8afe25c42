"""L107: a file contains a NUL byte.

Why: text with NUL bytes is a binary file, or text in another encoding such as UTF-16.
Fix: save the file as UTF-8 text.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L107", name="NulByte")


def finding(path: str, *, line: int) -> Diagnostic:
    """Return the finding for the first NUL byte."""
    place = Place(file=path, line=line)
    return RULE.finding(f"file `{path}` contains a NUL byte", place=place, hint="save the file as UTF-8 text")
