"""L201: a query reads a table that is neither a model nor a declared source, or one of several with its name.

Why: the order of builds and the effects of a change follow from the tables a query reads.
Fix: correct the name, write its schema where several have the name, add or enable the model, or declare the table in a
file under `sources/`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L201", name="UnknownDependency")


def finding_of_disabled(name: str, *, place: Place, model: str) -> Diagnostic:
    """Return the finding for a name that a model with `enabled = false` has."""
    hint = "enable it, or read something else"
    return RULE.finding(
        f"`{name}` is disabled: its settings say `enabled = false`", place=place, model=model, hint=hint
    )


def finding_of_ambiguous(name: str, *, place: Place, model: str, candidates: tuple[str, ...]) -> Diagnostic:
    """Return the finding for a bare name that several schemas have."""
    hint = "write one of " + ", ".join(f"`{item}`" for item in candidates)
    return RULE.finding(f"`{name}` could be more than one table", place=place, model=model, hint=hint)


def finding(name: str, *, place: Place, model: str, nearest: str | None) -> Diagnostic:
    """Return the finding for one unknown name."""
    hint = f"did you mean `{nearest}`?" if nearest else "declare it as a source, or add the model"
    return RULE.finding(
        f"`{name}` is neither a model nor a declared source", place=place, model=model, hint=hint, suggestion=nearest
    )
