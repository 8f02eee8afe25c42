"""L290: a budget stops a model that every run builds from the start.

Why: a source with `detect = "always"` has its readers built by every run, old slices first; they would use the budget
up before new slices are built.
Fix: use `on_breach = "warn"` under `[budget]`, or another `detect` of the source.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L290", name="BudgetBesideAlways")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a model with such a budget, and the source that has it built by every run."""
    read = [use.name for use in subject.model.inputs if use.is_always_new]
    if read and subject.model.settings.budget.on_breach == "stop":
        yield RULE.finding(
            f"`{read[0]}` has its readers built by every run, which `[budget]` would stop before new slices",
            place=subject.place_of("budget.on_breach"),
            hint='use `on_breach = "warn"`, or another `detect` of the source',
        )
