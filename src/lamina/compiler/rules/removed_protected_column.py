"""L304: a protected column was removed.

Why: readers outside the project rely on protected columns.
Fix: bring the column back as it was, or take it out of `protected`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, find_column
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L304", name="RemovedProtectedColumn", looks_at="promotion")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each protected column that is not as it was promoted."""
    if subject.previous is None or subject.model.columns is None:
        return
    for number, name in enumerate(subject.model.settings.contract.protected):
        before, now = find_column(subject.previous.columns, name), subject.column(name)
        if before is None:
            continue
        if now is None:
            yield RULE.finding(
                f"protected column `{name}` was removed from `{subject.model.name}`",
                place=subject.place_of(f"contract.protected.{number}"),
                model=subject.model.name,
                hint="bring the column back as it was, or take it out of `protected`",
            )
