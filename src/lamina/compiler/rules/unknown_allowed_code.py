"""L256: allow names a code that does not exist or cannot be allowed.

Why: a misspelt code would allow nothing; an error that is not about incrementality cannot be allowed.
Fix: use the code that the diagnostic shows.
"""

from collections.abc import Iterator

from lamina.compiler.known_rules import demotable
from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L256", name="UnknownAllowedCode")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each entry of `allow` that is not the code of a demotable rule."""
    for number, code in enumerate(subject.model.settings.allow):
        if code in demotable():
            continue
        yield RULE.finding(
            f"`{code}` is not a code that can be allowed",
            place=subject.place_of(f"allow.{number}"),
            model=subject.model.name,
            hint="use a code that a warning or an `L4xx` finding shows; other errors must be fixed",
        )
