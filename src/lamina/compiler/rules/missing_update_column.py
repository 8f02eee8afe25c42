"""L242: a column to update is not in the output, or is a key.

Why: a merge can only update columns that the query produces, and matched rows have equal keys.
Fix: select the column, or correct `update_columns`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, missing_columns, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L242", name="MissingUpdateColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each listed column that the output lacks, or that is part of the key."""
    upsert = subject.model.traits.upsert
    if upsert is None or upsert.update_columns is None:
        return
    name = subject.model.name
    for column, place, close in missing_columns(subject, "strategy.update_columns", upsert.update_columns):
        hint = suggestion_hint(close, "add the column to the query, or correct `update_columns`")
        message = f"update column `{column}` is not a column of `{name}`"
        yield RULE.finding(message, place=place, model=name, hint=hint, suggestion=close)
    keys = {key.lower() for key in upsert.key}
    for number, listed in enumerate(upsert.update_columns):
        if listed.lower() in keys:
            place = subject.place_of(f"strategy.update_columns.{number}")
            message = f"update column `{listed}` of `{name}` is part of `unique_key`"
            yield RULE.finding(message, place=place, model=name, hint="remove it from `update_columns`")
