"""L424: a time_interval model removes duplicates without its time column.

Why: equal rows of two slices become one when a batch has both.
Fix: select the time column beside the distinct columns.
"""

from lamina.compiler.query.operators import At
from lamina.compiler.slices.verdict import Refusal
from lamina.values.rule import Rule

RULE = Rule(code="L424", name="DistinctWithoutTime")


def refusal(*, clause: str, at: At) -> Refusal:
    """Return the refusal for one clause."""
    return Refusal(
        code=RULE.code,
        message=f"{clause} compares rows of several slices",
        hint="select the time column beside the compared columns",
        at=at,
    )
