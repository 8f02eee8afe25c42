"""L287: `updated_at` of a snapshot is not a column of times.

Why: each version is valid from its `updated_at` on, so that must be a moment.
Fix: name a `date` or `timestamp` column, cast it in the query, or use `check_columns`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule
from lamina.values.schema import UNKNOWN

RULE = Rule(code="L287", name="UntimedVersions")

_FITTING = frozenset({"date", "timestamp", "timestamp_ntz", UNKNOWN})


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield an `updated_at` whose type has no times."""
    versions = subject.model.traits.versions
    column = None if versions is None or versions.updated_at is None else subject.column(versions.updated_at)
    if column is None or column.type in _FITTING:
        return
    yield RULE.finding(
        f"`{column.name}` has type `{column.type}`, which is not a time",
        place=subject.place_of("strategy.updated_at"),
        model=subject.model.name,
        hint="name a `date` or `timestamp` column, cast it in the query, or use `check_columns`",
    )
