"""L434: a slice reads a part of an input, but any change of the input touches every slice.

Why: a change is known as a range of one column; here no such range says what a slice reads.
Fix: filter the input by one date or timestamp column, `column >= @start_date AND column < @end_date`.
"""

from collections.abc import Iterator

from lamina.compiler.slices.verdict import Proven
from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L434", name="CoarseRead", severity="info")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each input whose changes cannot be mapped to slices."""
    for item in subject.verdict.coarse if isinstance(subject.verdict, Proven) else ():
        yield RULE.finding(
            f"a change in `{item.table}` touches every slice of `{subject.model.name}`: {item.reason}",
            place=Place(file=item.file or subject.file.path, line=item.at[0], column=item.at[1]),
            model=subject.model.name,
            hint=item.hint,
        )
