"""L284: a driver is read by timestamps, and no column is named.

Why: rows are new if they lie after the largest time that was read, so the column of the times must be known.
Fix: name it with `timestamp_column` under `[strategy]`, or set `position = "version"`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L284", name="UnnamedTimestampColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a strategy that reads by time without a column."""
    driver = subject.model.traits.driver
    if driver is None or not driver.is_by_time or driver.timestamp_column is not None:
        return
    yield RULE.finding(
        f"`{subject.model.name}` reads its driver by timestamps, and no `timestamp_column` says which they are",
        place=subject.place_of("strategy"),
        model=subject.model.name,
        hint="name a `date` or `timestamp` column of the driver with `timestamp_column`",
    )
