"""L252: a merge deletes vanished keys but reads only new rows.

Why: to know which keys vanished, a build must read all keys of the source.
Fix: remove `timestamp_column` and `driver`, or use `on_delete = "keep"`.
"""

from collections.abc import Iterator

from lamina.compiler.slices.incrementality import reads_in_parts
from lamina.compiler.subject import Subject
from lamina.project.strategy import Merge
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L252", name="DeleteBesideTimestamp")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield `on_delete = "delete"` beside a setting that reads in parts."""
    strategy = subject.model.settings.strategy
    if not isinstance(strategy, Merge) or strategy.on_delete != "delete" or not reads_in_parts(strategy):
        return
    beside = "timestamp_column" if strategy.timestamp_column is not None else "driver"
    yield RULE.finding(
        f'`on_delete = "delete"` needs all keys, but `{beside}` reads only new rows',
        place=subject.place_of("strategy.on_delete"),
        model=subject.model.name,
        hint=f'remove `{beside}`, or use `on_delete = "keep"`',
    )
