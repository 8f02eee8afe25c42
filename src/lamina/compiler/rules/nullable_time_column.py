"""L248: the time column can be null.

Why: a row without a time belongs to no slice, and fails its batch.
Fix: filter the time column by the range, or `coalesce` it.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L248", name="NullableTimeColumn", severity="warning")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a time column that may be null, unless a proof shows that every row has one in the range."""
    slices = subject.model.traits.slices
    if slices is None or subject.shape is not None:
        return
    column = subject.column(slices.time_column)
    if column is None or not column.nullable:
        return
    yield RULE.finding(
        f"time column `{column.name}` of `{subject.model.name}` can be null",
        place=subject.place_of("strategy.time_column"),
        model=subject.model.name,
        hint="a null time fails the batch; `coalesce` it, or set `nullable = false` under `[[columns]]`",
    )
