"""L410: an incremental model calls a function of the clock, of chance or of the session.

Why: the value belongs to the build, not to the rows, so the table cannot equal a recompute.
Fix: use a column of the input, or `@start_date` in a `time_interval` model, or `full_refresh`.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L410", name="VolatileFunction")


def finding(name: str, *, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"{name} gives a different value at each build", hint="use a column of an input, or `full_refresh`", at=at
    )
