"""L412: a time_interval model reads an input that has times without a filter on the range.

Why: the slice would depend on rows of all times, so every change of the input touches every slice.
Fix: filter it by `column >= @start_date AND column < @end_date`, or declare `[inputs."name"] window`.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L412", name="UnfilteredInput")


def finding(table: TableName, *, column: str, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"`{table}` is not filtered by `@start_date` and `@end_date`",
        hint=f'add `{column} >= @start_date AND {column} < @end_date`, or declare `window` under `[inputs."{table}"]`',
        at=at,
    )
