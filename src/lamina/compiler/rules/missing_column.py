"""L301: the contract names a column that the query does not produce.

Why: readers rely on the columns of the contract.
Fix: select the column, or remove it from the contract.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, suggestion_hint
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L301", name="MissingColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each required or declared column that the output lacks."""
    settings = subject.model.settings
    if subject.query is None or not (settings.columns or settings.contract.required):
        return
    named = [(f"columns.{number}.name", column.name) for number, column in enumerate(settings.columns)]
    declared = {name.lower() for _, name in named}
    required = enumerate(settings.contract.required)
    named += [(f"contract.required.{number}", name) for number, name in required if name.lower() not in declared]
    for key, name in named:
        if subject.has_column(name):
            continue
        close = subject.close_column(name)
        yield RULE.finding(
            f"column `{name}` of the contract is not a column of `{subject.model.name}`",
            place=subject.place_of(key),
            model=subject.model.name,
            hint=suggestion_hint(close, "select the column, or remove it from the contract"),
            suggestion=close,
        )
