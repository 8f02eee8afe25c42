"""L422: the declared window of an input is shorter than the query reaches.

Why: a change of the input in the part that is not declared would not rebuild the slice.
Fix: declare a window at least as long as the query reaches.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L422", name="ShortWindow")


def finding(table: TableName, *, declared: str, reach: str, setting: str, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"the query reads `{table}` {reach}, but the declared window is {declared}",
        hint=f'set `{setting}` under `[inputs."{table}"]`',
        at=at,
    )
