"""L262: the column of `[freshness]` does not exist, or has no times.

Why: the age of the newest row is read from that column.
Fix: name a `date` or `timestamp` column that the query returns.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, find_column, suggestion_hint
from lamina.project.limits import FreshnessSettings
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.nearest import nearest
from lamina.values.rule import Rule
from lamina.values.schema import UNKNOWN, Schema

RULE = Rule(code="L262", name="UnfitFreshnessColumn")

_FITTING = frozenset({"date", "timestamp", "timestamp_ntz", "void", UNKNOWN})


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield what keeps the freshness of a model from being read."""
    settings, columns = subject.model.settings.freshness, subject.model.columns
    if settings is not None and columns is not None:
        place = subject.place_of("freshness.column")
        found = finding(RULE, subject.model.name, settings, columns, place=place)
        yield from () if found is None else (found.replace(model=subject.model.name),)


def finding(rule: Rule, table: str, settings: FreshnessSettings, columns: Schema, *, place: Place) -> Diagnostic | None:
    """Return what is wrong with the column that the freshness of a table is read from, by a rule about such tables."""
    column = find_column(columns, settings.column)
    if column is None:
        close = nearest(settings.column, [str(item.name) for item in columns])
        message = f"`freshness` names `{settings.column}`, which is not a column of `{table}`"
        hint = suggestion_hint(close, f"name a column of times of `{table}`")
        return rule.finding(message, place=place, hint=hint, suggestion=close)
    if column.type.partition("(")[0] in _FITTING:
        return None
    message = f"`freshness` needs a date or timestamp, and `{column.name}` of `{table}` is `{column.type}`"
    return rule.finding(message, place=place, hint="name another column")
