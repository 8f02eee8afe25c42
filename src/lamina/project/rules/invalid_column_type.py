"""L129: a declared column type is not a Spark type.

Why: types are compared as types, so the text must name one.
Fix: use Spark's names: `bigint`, `decimal(10,2)`, `array<string>`, `struct<a:int>`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L129", name="InvalidColumnType")


def finding(value: str, *, place: Place, nearest: str | None) -> Diagnostic:
    """Return the finding for one type, with the nearest known one."""
    hint = f"did you mean `{nearest}`?" if nearest else "use a Spark type such as `bigint` or `decimal(10,2)`"
    return RULE.finding(f"not a Spark type: `{value}`", place=place, hint=hint, suggestion=nearest)
