"""L285: the query gives a column that the strategy writes itself.

Why: a snapshot adds `valid_from` and `valid_to` to each row, which say when it was valid.
Fix: give the column of the query another name.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import same_name
from lamina.values.rule import Rule

RULE = Rule(code="L285", name="TakenColumn")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each column of the query that has the name of one which the strategy adds."""
    model = subject.model
    given = model.given_columns or ()
    for added in model.traits.added:
        if any(same_name(column.name, added.name) for column in given):
            yield RULE.finding(
                f"the query of `{model.name}` gives a column `{added.name}`, which `{model.traits.name}` writes itself",
                place=subject.place_of("strategy.type"),
                model=model.name,
                hint="give the column of the query another name",
            )
