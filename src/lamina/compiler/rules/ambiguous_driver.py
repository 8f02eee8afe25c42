"""L409: it is not clear which input drives the model.

Why: with several inputs, only one of them can be the one whose new rows a build reads.
Fix: name it with `driver` under `[strategy]`.
"""

from lamina.compiler.query.operators import NOWHERE
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L409", name="AmbiguousDriver")


def finding(inputs: tuple[TableName, ...], *, named: TableName | None) -> Diagnostic:
    """Return the finding for a driver that is not named, or named but not read."""
    listed = ", ".join(f"`{name}`" for name in inputs)
    if named is not None:
        message = f"the driver `{named}` is not an input of the query"
        hint = f"its inputs are {listed}" if inputs else "the query reads no table"
    elif inputs:
        message = "the query reads several inputs, and no `driver` says which of them brings the new rows"
        hint = f"set `driver` under `[strategy]` to one of {listed}"
    else:
        message, hint = "the query reads no table, so nothing can drive it", "use `full_refresh`"
    return RULE.finding(message, hint=hint, at=NOWHERE)
