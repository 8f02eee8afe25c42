"""L218: a query reads a fixed version of a table, not the current one.

Why: every read is pinned by lamina to the position recorded with the result; a fixed version would never see a change.
Fix: remove the VERSION or TIMESTAMP clause, or declare the old version as a source of its own.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L218", name="TimeTravel")


def finding(*, place: Place) -> Diagnostic:
    """Return the finding for one query."""
    return RULE.finding(
        "a table is read with VERSION or TIMESTAMP AS OF", place=place, hint="lamina pins every read; remove the clause"
    )
