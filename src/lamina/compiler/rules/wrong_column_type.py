"""L302: a column does not have the type that the contract says.

Why: readers rely on the types of the contract.
Fix: cast the column in the query, or correct the contract.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule
from lamina.values.schema import UNKNOWN

RULE = Rule(code="L302", name="WrongColumnType")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each declared column whose known type differs."""
    if subject.query is None:
        return
    for number, promised in enumerate(subject.model.settings.columns):
        column = subject.column(promised.name)
        if column is None or UNKNOWN in (column.type, promised.type) or column.type == promised.type:
            continue
        yield RULE.finding(
            f"column `{promised.name}` has type `{column.type}`, but the contract says `{promised.type}`",
            place=subject.place_of(f"columns.{number}.type"),
            model=subject.model.name,
            hint=f"`CAST(... AS {promised.type})` in the query, or correct the contract",
        )
