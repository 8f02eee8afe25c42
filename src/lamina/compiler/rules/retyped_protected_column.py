"""L305: a protected column changed its type.

Why: readers outside the project rely on protected columns.
Fix: bring the column back as it was, or take it out of `protected`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, find_column
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule
from lamina.values.schema import UNKNOWN

RULE = Rule(code="L305", name="RetypedProtectedColumn", looks_at="promotion")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each protected column that is not as it was promoted."""
    if subject.previous is None or subject.model.columns is None:
        return
    for number, name in enumerate(subject.model.settings.contract.protected):
        before, now = find_column(subject.previous.columns, name), subject.column(name)
        if before is None:
            continue
        if now is not None and UNKNOWN not in (now.type, before.type) and now.type != before.type:
            yield RULE.finding(
                f"protected column `{name}` changed from `{before.type}` to `{now.type}`",
                place=subject.place_of(f"contract.protected.{number}"),
                model=subject.model.name,
                hint="bring the column back as it was, or take it out of `protected`",
            )
