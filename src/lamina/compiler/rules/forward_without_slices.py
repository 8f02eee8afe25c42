"""L269: on_change = "forward_only" needs slices that do not read the model's own past.

Why: old slices keep what older code gave them, and new ones are built by new code; a table that is written as a
whole, or slice upon slice, has no part that could stay behind.
Fix: remove it, so that a change of code rebuilds the table, or protect the table with `protect_history = true`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L269", name="ForwardWithoutSlices")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield `forward_only` of a model without slices, or with slices that read earlier ones."""
    model = subject.model
    if model.settings.on_change != "forward_only" or (model.traits.slices is not None and not model.reads_itself):
        return
    what = "reads its own past" if model.traits.slices is not None else "has no slices"
    yield RULE.finding(
        f'`on_change = "forward_only"` cannot be used: `{model.name}` {what}',
        place=subject.place_of("on_change"),
        model=model.name,
        hint="remove it; `protect_history = true` refuses changes of code that would rebuild the table",
    )
