"""L130: a seed is not a table.

Why: a row with more or fewer values than the header has would put values under the wrong names.
Fix: give the file one header line and every row as many values; quote values that contain commas.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L130", name="InvalidSeed")


def finding(reason: str, *, place: Place) -> Diagnostic:
    """Return the finding for one seed."""
    return RULE.finding(f"not a table: {reason}", place=place, hint="quote values that contain commas or line breaks")
