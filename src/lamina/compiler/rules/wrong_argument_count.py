"""L221: a function is called with too few or too many arguments.

Why: Spark would refuse the query when the model runs. Nothing is reported where the project may bring functions
of its own: by `spark.sql.extensions`, by a Spark Connect server, or by a Python model that registers some.
Fix: give the function the arguments it takes.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L221", name="WrongArgumentCount")

INSTEAD = {"isnull": "to replace nulls, use `coalesce`"}
"""What a function is called in Spark that other databases have under this name."""


def finding(name: str, *, place: Place, given: int, taken: str) -> Diagnostic:
    """Return the finding for one call."""
    return RULE.finding(
        f"`{name}` takes {taken}, and the call has {given or 'none'}",
        place=place,
        hint=INSTEAD.get(name.lower()) or f"`describe function {name.lower()}` in Spark shows what it takes",
    )
