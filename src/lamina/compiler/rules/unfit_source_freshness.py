"""L263: the column that the freshness of a source is read from does not exist, or has no times.

Why: the age of the newest row is read from that column.
Fix: name a `date` or `timestamp` column of the source table.
"""

from collections.abc import Iterator

from lamina.compiler.rules import unfit_freshness_column
from lamina.compiler.subject import ProjectSubject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L263", name="UnfitSourceFreshness", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield each source table whose freshness cannot be read; one whose columns are not known is asked later."""
    for table in subject.sources:
        if table.freshness is None or table.places is None or not table.columns:
            continue
        source, _, name = table.name.partition(".")
        place = table.places.of(f"source.{source}.tables.{name}.freshness.column")
        found = unfit_freshness_column.finding(RULE, table.name, table.freshness, table.columns, place=place)
        yield from () if found is None else (found,)
