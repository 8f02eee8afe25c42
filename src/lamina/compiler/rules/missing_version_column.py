"""L286: a column of a snapshot's settings is not in the output.

Why: versions are found by `unique_key`, and `updated_at` or `check_columns` says which of them differ, so the query
must produce these columns.
Fix: select the column, or correct the setting.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, missing_columns, suggestion_hint
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L286", name="MissingVersionColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each column of the settings that the output lacks."""
    versions = subject.model.traits.versions
    if versions is None:
        return
    named = {"unique_key": versions.key, "check_columns": versions.checked}
    for setting, names in named.items():
        for column, place, close in missing_columns(subject, f"strategy.{setting}", names):
            yield _finding(subject, setting, column, place, close)
    if versions.updated_at is not None and not subject.has_column(versions.updated_at):
        column, close = versions.updated_at, subject.close_column(versions.updated_at)
        yield _finding(subject, "updated_at", column, subject.place_of("strategy.updated_at"), close)


def _finding(subject: Subject, setting: str, column: str, place: Place, close: str | None) -> Diagnostic:
    hint = suggestion_hint(close, f"add the column to the query, or correct `{setting}`")
    message = f"`{column}` of `{setting}` is not a column of `{subject.model.name}`"
    return RULE.finding(message, place=place, model=subject.model.name, hint=hint, suggestion=close)
