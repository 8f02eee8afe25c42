"""L430: an aggregate depends on the order of rows.

Why: Spark reads rows in no fixed order, so a recompute may give a different value and `verify` cannot compare it.
Fix: use `min`, `max`, or sort the collected values (`array_sort(collect_list(x))`).
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L430", name="OrderDependentFunction", severity="info")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each such function of the model's own text."""
    for call in subject.query.unordered if subject.query is not None else ():
        yield RULE.finding(
            f"the value of `{call.name}` depends on the order of rows",
            place=subject.place_in_text(call.start),
            model=subject.model.name,
            hint="use `min` or `max`, or sort the collected values",
        )
