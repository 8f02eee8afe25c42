"""L416: a time_interval model groups without its time column.

Why: a group would mix rows of several slices when a batch has several, so the result depends on how batches are cut.
Fix: add the time column, or its day, to GROUP BY; or set `batch_size = 1`.
"""

from lamina.compiler.query.operators import At
from lamina.compiler.slices.misfits import Misfit
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L416", name="GroupWithoutTime")


def finding(clause: str, *, at: At, unfit: Misfit | None = None) -> Diagnostic:
    """Return the finding for one clause; `unfit` says why a key that looks like the time is not it."""
    return RULE.finding(
        f"{clause} mixes rows of several slices" + (f": {unfit.text}" if unfit else ""),
        hint=unfit.hint if unfit else "add the time column, cut to the granularity or finer, to GROUP BY",
        at=at,
    )
