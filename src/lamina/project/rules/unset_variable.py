"""L113: an environment variable is not set.

Why: an empty value in its place would be a wrong path, address or password.
Fix: set the variable, or give a default with `${NAME:-default}`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L113", name="UnsetVariable")


def finding(variable: str, *, place: Place) -> Diagnostic:
    """Return the finding for one variable."""
    hint = f"set it, or give a default: `${{{variable}:-default}}`"
    return RULE.finding(f"environment variable `{variable}` is not set", place=place, hint=hint)
