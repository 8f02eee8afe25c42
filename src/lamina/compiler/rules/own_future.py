"""L426: a model is declared to read its own future.

Why: slices are built in order, so the slices after one are not there when it is built.
Fix: leave `after` out of the window of the model itself; later rows can be read from its inputs.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import folded
from lamina.values.rule import Rule

RULE = Rule(code="L426", name="OwnFuture")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield the window of a model's own table that reaches past the slice."""
    model = subject.model
    if not any(model.is_own(use) and use.window_after_seconds for use in model.inputs):
        return
    names = {folded(model.name), folded(model.name).rpartition(".")[2]}
    written = next((name for name in sorted(model.settings.inputs) if folded(name) in names), str(model.name))
    yield RULE.finding(
        f"`{model.name}` cannot read its own later slices",
        place=subject.place_of(f"inputs.{written}.window.after"),
        model=model.name,
        hint="remove `after` from the window of the model itself",
    )
