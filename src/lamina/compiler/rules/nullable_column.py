"""L303: a column can be null, but the contract says it is not.

Why: types cannot show that the column is always filled; only the rows can.
Fix: `coalesce` the column, filter nulls in the input's contract, or add a `not_null` check, which each build runs.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L303", name="NullableColumn", severity="warning")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each column promised to be filled that may be null and has no check for it."""
    settings = subject.model.settings
    if subject.query is None or not settings.columns:
        return
    checked = {
        str(check.column).lower() for check in settings.checks if check.type == "not_null" and check.severity == "error"
    }
    checked |= {str(name).lower() for check in settings.checks if check.type == "not_null" for name in check.columns}
    for number, promised in enumerate(settings.columns):
        column = subject.column(promised.name)
        if column is None or promised.nullable or not column.nullable or column.name.lower() in checked:
            continue
        yield RULE.finding(
            f"column `{promised.name}` can be null, but the contract says it is not",
            place=subject.place_of(f"columns.{number}.nullable"),
            model=subject.model.name,
            hint="`coalesce` the column, or add a `not_null` check, which each build runs",
        )
