"""L315: a parameter of a unit test is not known, or its value is not of its type.

Why: a query reads `@as_of`, `@execution_time` and the variables of `[vars]`; the bounds of its range come from
`partition`.
Fix: correct the name or the value.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L315", name="UnknownTestParameter")


def finding(name: str, *, place: Place, model: str, nearest: str | None) -> Diagnostic:
    """Return the finding for one unknown parameter."""
    otherwise = "a test may give `as_of`, `execution_time` and what `[vars]` in `lamina.toml` declares"
    return RULE.finding(
        f"no parameter `{name}`",
        place=place,
        model=model,
        hint=f"did you mean `{nearest}`?" if nearest else otherwise,
        suggestion=nearest,
    )


def finding_of_bound(name: str, *, place: Place, model: str) -> Diagnostic:
    """Return the finding for a bound of the range."""
    hint = f"remove `{name}` and give the `partition`"
    return RULE.finding(f"`{name}` comes from the partition of the test", place=place, model=model, hint=hint)


def finding_of_value(name: str, value: str, *, place: Place, model: str, kind: str) -> Diagnostic:
    """Return the finding for a value of another type."""
    examples = {"date": "`2026-04-07`", "timestamp": "`2026-04-07T10:00:00Z`", "boolean": "`true` or `false`"}
    hint = f"write it like {examples[kind]}" if kind in examples else f"write a value of type `{kind}`"
    return RULE.finding(
        f"parameter `{name}`: `{value}` is not a value of type `{kind}`", place=place, model=model, hint=hint
    )
