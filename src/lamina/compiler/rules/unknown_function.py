"""L217: a query calls a function that Spark does not have.

Why: Spark would refuse the query when the model runs. Nothing is reported where the project may bring functions
of its own: by `spark.sql.extensions`, by a Spark Connect server, or by a Python model that registers some.
Fix: correct the name. A function of a schema (`tools.mask`) is never looked up.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L217", name="UnknownFunction")


def finding(name: str, *, place: Place, meant: str | None) -> Diagnostic:
    """Return the finding for one call."""
    return RULE.finding(
        f"Spark has no function `{name}`",
        place=place,
        hint=f"did you mean `{meant}`?" if meant else "look the function up in the Spark SQL reference",
        suggestion=meant,
    )
