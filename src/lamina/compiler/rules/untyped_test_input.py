"""L316: the columns of an input are not known, so its rows cannot be given in a unit test.

Why: given rows take the types of the input's columns, and an input that a test leaves out is an empty table of them.
Fix: declare the columns of the source in `sources/`, or of the model under `[[columns]]` in its TOML file.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L316", name="UntypedTestInput")


def finding(name: str, *, place: Place, model: str, is_model: bool) -> Diagnostic:
    """Return the finding for one input."""
    home = "under `[[columns]]` in the TOML file of the model" if is_model else "in its file in `sources/`"
    return RULE.finding(
        f"`{model}` reads `{name}`, whose columns are not known", place=place, model=model, hint=f"declare them {home}"
    )
