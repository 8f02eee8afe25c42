"""L258: a model has an end but no start.

Why: without a start the first slice depends on when the model runs first, which may be after its end.
Fix: add `start`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L258", name="EndWithoutStart")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield an `end` without a start, or that is not after the start."""
    settings = subject.model.settings
    if settings.end is None or settings.start is not None:
        return
    yield RULE.finding(
        f"`{subject.model.name}` has `end` but no `start`",
        place=subject.place_of("end"),
        model=subject.model.name,
        hint="add `start`",
    )
