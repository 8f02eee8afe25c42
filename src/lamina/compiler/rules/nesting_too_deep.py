"""L208: a query nests too deep.

Why: brackets, CASE branches and operator chains are counted before parsing, so that no query can exhaust the stack.
Fix: split the query with CTEs, or replace a long chain by a list: `IN (...)`, a VALUES table, a lookup join.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L208", name="NestingTooDeep")


def finding(*, place: Place) -> Diagnostic:
    """Return the finding for one query."""
    return RULE.finding(
        "the query nests too deep here",
        place=place,
        hint="split it with CTEs, or replace a long chain of operators by `IN (...)` or a VALUES table",
    )
