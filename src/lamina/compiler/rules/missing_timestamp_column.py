"""L250: the driving input lacks the timestamp column.

Why: the watermark is the largest value of that column read from the driver.
Fix: name a column of the driver, or remove `timestamp_column`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, find_column, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.nearest import nearest
from lamina.values.rule import Rule

RULE = Rule(code="L250", name="MissingTimestampColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield the timestamp column if the driver's columns are known and it is not among them."""
    traits, driver = subject.model.traits, subject.model.driver
    wanted = traits.driver.timestamp_column if traits.driver is not None else None
    schema = subject.schemas.get(driver) if driver is not None else None
    if wanted is None or schema is None or find_column(schema, wanted) is not None:
        return
    close = nearest(wanted, [str(column.name) for column in schema])
    yield RULE.finding(
        f"timestamp column `{wanted}` is not a column of the driver `{driver}`",
        place=subject.place_of("strategy.timestamp_column"),
        model=subject.model.name,
        hint=suggestion_hint(close, "name a column of the driver"),
        suggestion=close,
    )
