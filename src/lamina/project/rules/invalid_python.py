"""L135: a Python model cannot be used.

Why: lamina calls the function `model(ctx)` of the file; without it there is no table.
Fix: define `def model(ctx)` that returns a DataFrame; name a module that is not a model `_name.py`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L135", name="InvalidPython")


def finding(reason: str, *, place: Place) -> Diagnostic:
    """Return the finding for a file that is not Python."""
    return RULE.finding(f"not valid Python: {reason}", place=place)


def finding_of_missing_function(path: str) -> Diagnostic:
    """Return the finding for a file that defines no model."""
    return RULE.finding(
        f"`{path}` defines no function `model`",
        place=Place(file=path),
        hint="define `def model(ctx)`, or name a module that is not a model `_name.py`",
    )
