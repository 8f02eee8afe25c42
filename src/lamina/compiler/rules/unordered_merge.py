"""L425: a merge reads new rows in parts without an order.

Why: of two rows with the same key the one in the later batch wins, so the result depends on how batches are cut.
Fix: name the columns that order rows of one key in `order_by`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L425", name="UnorderedMerge", severity="warning")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a merge that reads in parts and has no order."""
    upsert, driver = subject.model.traits.upsert, subject.model.traits.driver
    if upsert is None or upsert.order_by or driver is None:
        return
    key = "strategy.timestamp_column" if driver.timestamp_column is not None else "strategy.driver"
    name = driver.timestamp_column
    yield RULE.finding(
        f"`{subject.model.name}` merges new rows without `order_by`, so the batch that comes last wins",
        place=subject.place_of(key),
        model=subject.model.name,
        hint=f'add `order_by = ["{name}"]`' if name else "add `order_by`",
    )
