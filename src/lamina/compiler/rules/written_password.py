"""L294: the password of a source is written in a file.

Why: files are copied, compared and kept with the versions of a project, and a password must be in none of them.
Fix: put the password into a variable of the environment and name it alone, as in `password = "${SHOP_PASSWORD}"`. A
default value is a written password too.
"""

from collections.abc import Iterator

from lamina.compiler.subject import ProjectSubject
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule
from lamina.values.secret import HIDDEN

RULE = Rule(code="L294", name="WrittenPassword", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield each source whose password, or address with one, is not taken from the environment."""
    for source, connection, places in subject.connections():
        if connection.password == "":
            yield _finding("password", source, places.of(f"source.{source}.password"))
        if HIDDEN in connection.url:
            yield _finding("url", source, places.of(f"source.{source}.url"))


def _finding(key: str, source: str, place: Place) -> Diagnostic:
    return RULE.finding(
        f"`{key}` of source `{source}` holds a password",
        place=place,
        hint='name a variable of the environment instead: `password = "${NAME}"`',
    )
