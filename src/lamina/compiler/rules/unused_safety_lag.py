"""L283: a safety lag is set, and rows are not read by time.

Why: by version, every row is read that came with it, however young it is.
Fix: set `position = "timestamp"`, or remove `safety_lag`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L283", name="UnusedSafetyLag")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a lag that would change nothing."""
    driver = subject.model.traits.driver
    if driver is None or driver.is_by_time or driver.lag_seconds is None:
        return
    yield RULE.finding(
        f"`safety_lag` of `{subject.model.name}` changes nothing: rows are new by the version they came with",
        place=subject.place_of("strategy.safety_lag"),
        model=subject.model.name,
        hint='set `position = "timestamp"`, or remove `safety_lag`',
    )
