"""L281: a driver is read by timestamps, and the column holds no times.

Why: with `position = "timestamp"` the watermark is a time, kept to the microsecond.
Fix: name a `date` or `timestamp` column of the driver, or set `position = "version"`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, find_column
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule
from lamina.values.schema import UNKNOWN

RULE = Rule(code="L281", name="UnfitTimestampColumn")

_TIMES = ("date", "timestamp", "timestamp_ntz", UNKNOWN)


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield the timestamp column of a driver that is read by it, if its type is no time."""
    model, driver = subject.model, subject.model.traits.driver
    if driver is None or not driver.is_by_time or driver.timestamp_column is None or model.driver is None:
        return
    column = find_column(subject.schemas.get(model.driver), driver.timestamp_column)
    if column is None or column.type in _TIMES:
        return
    yield RULE.finding(
        f"`{column.name}` of `{model.driver}` has type `{column.type}`, and rows are read by times",
        place=subject.place_of("strategy.timestamp_column"),
        model=model.name,
        hint='name a `date` or `timestamp` column, or set `position = "version"`',
    )
