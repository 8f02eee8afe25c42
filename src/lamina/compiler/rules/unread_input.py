"""L253: settings are given for an input that the model does not read.

Why: a misspelt name would silently leave the input without its settings.
Fix: use the name of an input, or remove the table.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.nearest import nearest
from lamina.values.rule import Rule

RULE = Rule(code="L253", name="UnreadInput")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each `[inputs]` name that is not an input."""
    if not subject.model.settings.inputs:
        return
    inputs = [str(name) for name in subject.inputs]
    known = {name.lower() for name in inputs} | {name.lower() for name in subject.model.depends_on}
    bare = {name.rpartition(".")[2] for name in known}
    for written in sorted(subject.model.settings.inputs):
        if written.lower() in known or ("." not in written and written.lower() in bare):
            continue
        close = nearest(written, inputs)
        listed = ", ".join(f"`{name}`" for name in sorted(inputs))
        yield RULE.finding(
            f"`{written}` is not an input of `{subject.model.name}`",
            place=subject.place_of(f"inputs.{written}"),
            model=subject.model.name,
            hint=suggestion_hint(close, f"its inputs are {listed}" if listed else "it reads no table"),
            suggestion=close,
        )
