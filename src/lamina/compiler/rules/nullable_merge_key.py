"""L241: a merge key can be null.

Why: null keys compare equal, so all rows with a null key collapse into one.
Fix: filter with `WHERE key IS NOT NULL`, `coalesce` the key, or set `nullable = false` for it under `[[columns]]`.
"""

from collections.abc import Iterator

from lamina.compiler.query.object import SelectScope
from lamina.compiler.subject import Subject, find_column
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L241", name="NullableMergeKey", severity="warning")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each key column that may be null and is not promised to be filled."""
    upsert = subject.model.traits.upsert
    if upsert is None:
        return
    query = subject.query
    scope = query.scopes[query.root] if query is not None and query.root >= 0 else None
    filled = scope.filled if isinstance(scope, SelectScope) else ()
    for number, key in enumerate(upsert.key):
        column = subject.column(key)
        promised = find_column(subject.model.settings.columns, key)
        if column is None or not column.nullable or (promised is not None and not promised.nullable):
            continue
        if key.lower() in filled:
            continue
        yield RULE.finding(
            f"merge key `{key}` of `{subject.model.name}` can be null",
            place=subject.place_of(f"strategy.unique_key.{number}"),
            model=subject.model.name,
            hint=f"filter with `WHERE {key} IS NOT NULL`, or set `nullable = false` for the column under `[[columns]]`",
        )
