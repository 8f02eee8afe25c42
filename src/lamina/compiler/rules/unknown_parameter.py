"""L210: a query uses a parameter that is not defined.

Why: `@name` is replaced by a typed value, which must come from the run or from `[vars]`.
Fix: correct the name, or declare the variable in `lamina.toml`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L210", name="UnknownParameter")


def finding(name: str, *, place: Place, model: str, nearest: str | None) -> Diagnostic:
    """Return the finding for one unknown parameter."""
    hint = f"did you mean `@{nearest}`?" if nearest else "declare it under `[vars]` in `lamina.toml`"
    return RULE.finding(
        f"unknown parameter `@{name}`",
        place=place,
        model=model,
        hint=hint,
        suggestion=f"@{nearest}" if nearest else None,
    )
