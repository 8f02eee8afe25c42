"""L254: a column of the table layout is not in the output.

Why: the table could not be created.
Fix: correct `partitioned_by` or `sorted_by`.
"""

import re
from collections.abc import Iterator

from lamina.compiler.subject import Subject, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L254", name="MissingLayoutColumn")

COLUMN = re.compile(r"(?:\w+\s*\(\s*(?:\d+\s*,\s*)?)?`?(\w+)`?(?:\s*,\s*\d+)?\s*\)?(?:\s+(?:asc|desc))?", re.IGNORECASE)


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each column of `partitioned_by` and `sorted_by` that the output lacks."""
    settings = subject.model.settings
    for key, entries in (("partitioned_by", settings.partitioned_by or ()), ("sorted_by", settings.sorted_by)):
        for number, entry in enumerate(entries):
            found = COLUMN.fullmatch(entry.strip())
            column = found[1] if found else entry
            if subject.has_column(column):
                continue
            close = subject.close_column(column)
            yield RULE.finding(
                f"`{key}` names `{column}`, which is not a column of `{subject.model.name}`",
                place=subject.place_of(f"{key}.{number}"),
                model=subject.model.name,
                hint=suggestion_hint(close, f"correct `{key}`"),
                suggestion=close,
            )
