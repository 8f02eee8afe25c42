"""L431: a row is chosen or numbered by an order that may have ties.

Why: of rows that are equal in the order any may come first, so a recompute may choose another one.
Fix: order also by the key of the input, and declare that key: by `unique_key`, or by a `unique` and a `not_null` check.
"""

from collections.abc import Iterator

from lamina.compiler.link.tracing import has_key
from lamina.compiler.query.object import RowChoice
from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L431", name="PossibleTies", severity="info")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each numbering window and LIMIT whose order is not known to be total."""
    query = subject.query
    if query is None:
        return
    traits = subject.model.traits
    is_whole = traits.slices is None and traits.driver is None  # in others LIMIT is refused
    for choice in query.choices:
        is_judged = bool(choice.function) or is_whole
        if is_judged and not has_key(subject, query, relation=choice.relation, columns=choice.columns):
            yield RULE.finding(
                _message(choice),
                place=subject.place_in_text(choice.start),
                model=subject.model.name,
                hint="order also by a key of the input, declared by `unique_key` or by `unique` and `not_null` checks",
            )


def _message(choice: RowChoice) -> str:
    if choice.function:
        return f"rows of `{choice.function}` may tie in its order"
    text = "may tie in its order" if choice.is_ordered else "has no order"
    return f"LIMIT {text}, so any of several rows may stay"
