"""L424: a time_interval model removes duplicates without its time column.

Why: equal rows of two slices become one when a batch has both.
Fix: select the time column beside the distinct columns.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L424", name="DistinctWithoutTime")


def finding(*, clause: str, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"{clause} compares rows of several slices", hint="select the time column beside the compared columns", at=at
    )
