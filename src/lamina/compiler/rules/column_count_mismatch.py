"""L214: the branches of a set operation, or the rows of VALUES, have different numbers of columns.

Why: columns are paired by position.
Fix: give every branch, or row, the same columns.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L214", name="ColumnCountMismatch")


def finding(counts: tuple[int, ...], *, place: Place) -> Diagnostic:
    """Return the finding for one set operation."""
    listed = ", ".join(str(count) for count in counts)
    return RULE.finding(
        f"the branches of a set operation have different numbers of columns: {listed}",
        place=place,
        hint="give every branch the same columns",
    )


def finding_of_values(counts: tuple[int, ...], *, place: Place) -> Diagnostic:
    """Return the finding for the rows of one VALUES."""
    listed = " and ".join(str(count) for count in sorted(set(counts)))
    return RULE.finding(
        f"the rows of VALUES have different numbers of columns: {listed}",
        place=place,
        hint="give every row the same columns",
    )
