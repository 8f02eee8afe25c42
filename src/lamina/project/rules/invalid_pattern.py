"""L137: a regular expression cannot be read.

Why: a check that cannot run counts as failed, after the rows were computed.
Fix: correct the pattern; it is a Java regular expression, as Spark's `RLIKE` reads it. In TOML, write it in single
quotes: a backslash is then a backslash.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L137", name="InvalidPattern")


def finding(key: str, *, place: Place, value: str, reason: str) -> Diagnostic:
    """Return the finding for one pattern."""
    hint = "write a Java regular expression, in single quotes"
    return RULE.finding(f"`{key}` is not a regular expression: `{value}`: {reason}", place=place, hint=hint)
