"""L306: a new column can be null, which the contract forbids.

Why: with `no_new_nullable`, readers may rely on every new column being filled.
Fix: `coalesce` the column, or remove `no_new_nullable`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, find_column
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L306", name="NewNullableColumn", looks_at="promotion")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each column that is new since the promoted version and may be null."""
    previous = subject.previous
    if previous is None or previous.columns is None or not subject.model.settings.contract.no_new_nullable:
        return
    for column in subject.model.columns or ():
        if not column.nullable or find_column(previous.columns, column.name) is not None:
            continue
        yield RULE.finding(
            f"new column `{column.name}` of `{subject.model.name}` can be null",
            place=subject.place_of("contract.no_new_nullable"),
            model=subject.model.name,
            hint="`coalesce` the column, or remove `no_new_nullable`",
        )
