"""L295: the address of a source is of a database that this version does not know.

Why: each database needs its driver, and has its own words in queries.
Fix: begin the address with `jdbc:postgresql:`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import ProjectSubject
from lamina.project.source import KNOWN_DATABASES
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule
from lamina.values.words import listed

RULE = Rule(code="L295", name="UnknownDatabase", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield each source whose address begins with no known word."""
    for source, connection, places in subject.connections():
        if connection.database is None:
            known = listed(f"jdbc:{word}:" for word in KNOWN_DATABASES)
            message = f"the address of source `{source}` is not of a known database: `{connection.url}`"
            yield RULE.finding(message, place=places.of(f"source.{source}.url"), hint=f"begin it with {known}")
