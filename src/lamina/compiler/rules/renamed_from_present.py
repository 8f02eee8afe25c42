"""L270: a model was renamed from one that is still there.

Why: `renamed_from` moves the table of a model that is gone; a model that is still there keeps its table.
Fix: remove the file of the old model, or remove `renamed_from`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.names import same_name
from lamina.values.rule import Rule

RULE = Rule(code="L270", name="RenamedFromPresent")


def finding(before: str, *, place: Place, model: str) -> Diagnostic:
    """Return the finding for a former name that a model of the project has."""
    is_itself = same_name(before, model)
    said = "itself" if is_itself else f"`{before}`, which is still there"
    return RULE.finding(
        f"`{model}` says that it was renamed from {said}",
        place=place,
        model=model,
        hint="remove `renamed_from`" if is_itself else f"remove the file of `{before}`, or remove `renamed_from`",
    )
