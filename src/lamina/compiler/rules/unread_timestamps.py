"""L282: a Python model asks to read its driver by timestamps.

Why: what a Python model does with its inputs is not known, so it is built from all of their rows.
Fix: write the model in SQL, or remove `position`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L282", name="UnreadTimestamps")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield `position` of a model whose query cannot be looked into."""
    model, driver = subject.model, subject.model.traits.driver
    if driver is None or not driver.is_by_time or model.kind == "sql":
        return
    yield RULE.finding(
        f'`{model.name}` is not a SQL model, so its driver cannot be read by timestamps (`position = "timestamp"`)',
        place=subject.place_of("strategy.position"),
        model=model.name,
        hint="write it in SQL, or remove `position`",
    )
