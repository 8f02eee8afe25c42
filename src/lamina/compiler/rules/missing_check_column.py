"""L255: a check names a column that is not in the output.

Why: a check that cannot run counts as failed, after the rows were computed.
Fix: correct the name of the column.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, suggestion_hint
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L255", name="MissingCheckColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each column of a check that the output lacks."""
    for number, check in enumerate(subject.model.settings.checks):
        named = [(f"checks.{number}.column", check.column)] if check.column else []
        named += [(f"checks.{number}.columns.{position}", name) for position, name in enumerate(check.columns)]
        for key, column in named:
            if not subject.has_column(column):
                title = f"check `{check.name or check.type}`"
                yield finding(subject, column, title=title, place=subject.place_of(key))


def finding(subject: Subject, column: str, *, title: str, place: Place) -> Diagnostic:
    """Return the finding for one name; `title` says what names it."""
    close = subject.close_column(column)
    return RULE.finding(
        f"{title} names `{column}`, which is not a column of `{subject.model.name}`",
        place=place,
        model=subject.model.name,
        hint=suggestion_hint(close, f"use a column that the query of `{subject.model.name}` returns"),
        suggestion=close,
    )
