"""L307: a protected column does not exist.

Why: a misspelt name would protect nothing.
Fix: correct the name, or remove it from `protected`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, find_column, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L307", name="UnknownProtectedColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each protected column that the model neither has nor had."""
    for number, name in enumerate(subject.model.settings.contract.protected):
        had = subject.previous is not None and find_column(subject.previous.columns, name) is not None
        if had or subject.has_column(name):
            continue
        close = subject.close_column(name)
        yield RULE.finding(
            f"protected column `{name}` is not a column of `{subject.model.name}`",
            place=subject.place_of(f"contract.protected.{number}"),
            model=subject.model.name,
            hint=suggestion_hint(close, "correct the name, or remove it from `protected`"),
            suggestion=close,
        )
