"""L132: a model and a source table share a name.

Why: a query that reads the name could mean either.
Fix: rename the model, its schema folder, or the source.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L132", name="SharedName")


def finding(name: str, *, path: str, source: Place | None) -> Diagnostic:
    """Return the finding for one name."""
    where = f" in `{source}`" if source else ""
    message = f"`{name}` is both a model and a source table"
    return RULE.finding(message, place=Place(file=path), model=name, hint=f"the source is declared{where}; rename one")
