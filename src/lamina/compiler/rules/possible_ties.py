"""L431: a row is chosen or numbered by an order that may have ties.

Why: of rows that are equal in the order any may come first, so a recompute may choose another one.
Fix: order also by the key of the input, and declare that key (`unique` check or `unique_key`).
"""

from collections.abc import Iterator

from lamina.compiler.incrementality import reads_in_parts
from lamina.compiler.operators import At, SelectBlock
from lamina.compiler.subject import Subject
from lamina.compiler.tracing import is_total
from lamina.project.strategy import TimeInterval
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L431", name="PossibleTies", severity="info")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each numbering window and LIMIT whose order is not known to be total."""
    shape = subject.shape
    strategy = subject.model.settings.strategy
    is_whole = not isinstance(strategy, TimeInterval) and not reads_in_parts(strategy)  # in others LIMIT is refused
    for number, block in enumerate(shape.blocks if shape is not None else ()):
        if block.file or shape is None:
            continue
        windows = block.windows if isinstance(block, SelectBlock) else ()
        for window in windows:
            terms = [*window.partition, *(item.term for item in window.order)]
            if window.is_numbering and not is_total(shape, number, terms, inputs=subject.inputs):
                yield _finding(f"rows of `{window.function}` may tie in its order", window.at, subject)
        if block.limit is not None and is_whole:
            terms = [item.term for item in block.limit.order]
            if not is_total(shape, number, terms, inputs=subject.inputs):
                text = "may tie in its order" if terms else "has no order"
                yield _finding(f"LIMIT {text}, so any of several rows may stay", block.limit.at, subject)


def _finding(message: str, at: At, subject: Subject) -> Diagnostic:
    return RULE.finding(
        message,
        place=Place(file=subject.file.path, line=at[0], column=at[1]),
        model=subject.model.name,
        hint="order also by a key of the input that a `unique` check or `unique_key` declares",
    )
