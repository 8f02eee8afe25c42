"""L425: a merge reads new rows in parts without an order.

Why: of two rows with one key the one that comes in the later batch wins, so the cut into batches decides.
Fix: name the columns that order rows of one key in `order_by`.
"""

from collections.abc import Iterator

from lamina.compiler.slices.incrementality import reads_in_parts
from lamina.compiler.subject import Subject
from lamina.project.strategy import Merge
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L425", name="UnorderedMerge", severity="warning")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a merge that reads in parts and has no order."""
    strategy = subject.model.settings.strategy
    if not isinstance(strategy, Merge) or strategy.order_by or not reads_in_parts(strategy):
        return
    key = "strategy.timestamp_column" if strategy.timestamp_column is not None else "strategy.driver"
    name = strategy.timestamp_column
    yield RULE.finding(
        f"`{subject.model.name}` merges new rows without `order_by`, so the batch that comes last wins",
        place=subject.place_of(key),
        model=subject.model.name,
        hint=f'add `order_by = ["{name}"]`' if name else "add `order_by`",
    )
