"""L432: a model calls a function of the clock, of chance or of the session.

Why: two builds over the same rows differ, so the model is stale at every run and cannot be verified.
Fix: use `@as_of` or `@execution_time`, or a column of an input.
"""

import re
from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L432", name="VolatileModel", severity="warning")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each such function of a model that is evaluated whole; others are refused."""
    if subject.query is None or not subject.query.volatile:
        return
    traits = subject.model.traits
    if not traits.has_table or traits.slices is not None or traits.driver is not None or traits.versions is not None:
        return
    for name in subject.query.volatile:
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", subject.file.text, re.IGNORECASE)
        yield RULE.finding(
            f"`{name}` gives a different value at each build, so `{subject.model.name}` is stale at every run",
            place=subject.place_in_text(found.start() if found else 0),
            model=subject.model.name,
            hint="use `@as_of`, or a column of an input",
        )
