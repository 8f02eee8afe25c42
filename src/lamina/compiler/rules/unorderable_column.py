"""L244: a column that must be ordered has a type that cannot be.

Why: the largest value of the column decides which rows are new or win.
Fix: use a column of a temporal, numeric or text type.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, find_column
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule
from lamina.values.schema import Column

RULE = Rule(code="L244", name="UnorderableColumn")

UNORDERABLE = ("map", "variant", "interval", "void", "binary", "boolean", "array", "struct")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each ordering column of the strategy whose type has no useful order."""
    traits, table = subject.model.traits, subject.model.driver
    for number, name in enumerate(traits.upsert.order_by if traits.upsert is not None else ()):
        yield from _finding(subject, subject.column(name), f"strategy.order_by.{number}")
    if traits.driver is not None and traits.driver.timestamp_column is not None and table is not None:
        column = find_column(subject.schemas.get(table), traits.driver.timestamp_column)
        yield from _finding(subject, column, "strategy.timestamp_column")


def _finding(subject: Subject, column: Column | None, key: str) -> Iterator[Diagnostic]:
    if column is None or not column.type.startswith(UNORDERABLE):
        return
    yield RULE.finding(
        f"`{column.name}` has type `{column.type}`, which cannot be ordered",
        place=subject.place_of(key),
        model=subject.model.name,
        hint="use a column of a temporal, numeric or text type",
    )
