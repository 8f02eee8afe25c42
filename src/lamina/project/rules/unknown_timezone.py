"""L123: a time zone is not known.

Why: the days of a model begin and end at midnight of its zone.
Fix: use a name of the IANA list, such as `Europe/Stockholm`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L123", name="UnknownTimezone")


def finding(key: str, *, place: Place, value: str, nearest: str | None) -> Diagnostic:
    """Return the finding for one zone, with the nearest known one."""
    hint = f"did you mean `{nearest}`?" if nearest else "use a name such as `Europe/Stockholm`"
    return RULE.finding(f"`{key}` is not a time zone: `{value}`", place=place, hint=hint, suggestion=nearest)
