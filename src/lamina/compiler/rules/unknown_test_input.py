"""L311: a unit test gives rows of a table that its model does not read.

Why: the rows would be read by nothing, so the test would not test what it seems to.
Fix: name an input of the model; `lamina explain MODEL` lists them.
"""

from collections.abc import Sequence

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule
from lamina.values.words import listed

RULE = Rule(code="L311", name="UnknownTestInput")


def finding(name: str, *, place: Place, model: str, nearest: str | None, inputs: Sequence[str]) -> Diagnostic:
    """Return the finding for a table that is not an input."""
    otherwise = f"its inputs are {listed(inputs)}" if inputs else "it has no inputs; remove the rows"
    return RULE.finding(
        f"`{name}` is not an input of `{model}`",
        place=place,
        model=model,
        hint=f"did you mean `{nearest}`?" if nearest else otherwise,
        suggestion=nearest,
    )


def finding_of_hidden(name: str, *, place: Place, model: str) -> Diagnostic:
    """Return the finding for an input of ephemeral models whose own rows are given."""
    return RULE.finding(
        f"`{name}` is only read by ephemeral models whose rows the test gives",
        place=place,
        model=model,
        hint="remove the rows of one of them",
    )


def finding_of_repeated(name: str, *, place: Place, model: str) -> Diagnostic:
    """Return the finding for an input that has rows under two names."""
    return RULE.finding(f"the rows of `{name}` are given twice", place=place, model=model, hint="put them in one list")
