"""L255: a check names a column that is not in the output.

Why: a check that cannot run has failed.
Fix: correct the name of the column.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L255", name="MissingCheckColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each column of a check that the output lacks."""
    for number, check in enumerate(subject.model.settings.checks):
        named = [(f"checks.{number}.column", check.column)] if check.column else []
        named += [(f"checks.{number}.columns.{position}", name) for position, name in enumerate(check.columns)]
        for key, column in named:
            if subject.has_column(column):
                continue
            close = subject.close_column(column)
            yield RULE.finding(
                f"check `{check.name or check.type}` names `{column}`, which is not a column of `{subject.model.name}`",
                place=subject.place_of(key),
                model=subject.model.name,
                hint=suggestion_hint(close, "correct the name of the column"),
                suggestion=close,
            )
