"""L296: a column that a source is watched or divided by does not exist, or is of a type that has no order in time.

Why: rows that came since the last run are those with a greater `load_time`; parallel reads are ranges of the
`partition_column`. A `safety_lag` is compared with the clock.
Fix: name a column of the table: of whole numbers, dates or timestamps; beside a `safety_lag`, of timestamps.
"""

from collections.abc import Iterator

from lamina.compiler.subject import ProjectSubject, find_column
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule
from lamina.values.schema import is_instant, is_ordered

RULE = Rule(code="L296", name="UnfitSourceColumn", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield each setting that names an unfit column; one whose table declares no columns is looked at in a run."""
    for table in subject.sources:
        if table.places is None or not table.columns:
            continue
        source, _, name = table.name.partition(".")
        for key, named in (("load_time", table.load_time), ("partition_column", table.partition_column)):
            column = None if named is None else find_column(table.columns, named)
            is_clock = key == "load_time" and table.safety_lag is not None
            if named is None or (column is not None and (is_instant if is_clock else is_ordered)(column.type)):
                continue
            what = "is not a declared column" if column is None else f"is of type {column.type}"
            yield RULE.finding(
                f"`{key}` of `{table.name}` names `{named}`, which {what}",
                place=table.places.of(f"source.{source}.tables.{name}.{key}"),
                hint=f"name a column of {'timestamps' if is_clock else 'whole numbers, dates or timestamps'}",
            )
