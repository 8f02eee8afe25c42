"""L122: a cron expression is not valid.

Why: a schedule that cannot be read never fires.
Fix: write five fields, such as `0 6 * * *`, or one of `@hourly @daily @weekly @monthly @yearly`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L122", name="InvalidCron")


def finding(key: str, *, place: Place, value: str, reason: str) -> Diagnostic:
    """Return the finding for one expression."""
    hint = "write five fields such as `0 6 * * *`, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`"
    return RULE.finding(f"`{key}` is not a cron expression: `{value}` ({reason})", place=place, hint=hint)
