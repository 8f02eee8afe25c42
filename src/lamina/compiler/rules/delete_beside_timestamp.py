"""L252: a merge deletes vanished keys but reads only new rows.

Why: to know which keys vanished, a build must read all keys of the source.
Fix: remove `timestamp_column` and `driver`, or use `on_delete = "keep"`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L252", name="DeleteBesideTimestamp")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield `on_delete = "delete"` beside a setting that reads in parts."""
    upsert, driver = subject.model.traits.upsert, subject.model.traits.driver
    if upsert is None or not upsert.deletes_missing or driver is None:
        return
    beside = "timestamp_column" if driver.timestamp_column is not None else "driver"
    yield RULE.finding(
        f'`on_delete = "delete"` needs all keys, but `{beside}` reads only new rows',
        place=subject.place_of("strategy.on_delete"),
        model=subject.model.name,
        hint=f'remove `{beside}`, or use `on_delete = "keep"`',
    )
