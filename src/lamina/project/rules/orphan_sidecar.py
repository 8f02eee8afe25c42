"""L121: a settings file has no model.

Why: its settings have no effect, most often because one of the two files was renamed.
Fix: rename the file like its model, or remove it.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L121", name="OrphanSidecar")


def finding(path: str, *, nearest: str | None) -> Diagnostic:
    """Return the finding for one settings file, with the nearest model beside it."""
    stem = path.removesuffix(".toml")
    message = (
        f"`{path}` has no `{stem}.csv`" if path.startswith("seeds/") else f"`{path}` has no `.sql` or `.py` beside it"
    )
    hint = f"did you mean `{nearest}`?" if nearest else "rename it like its model, or remove it"
    return RULE.finding(message, place=Place(file=path), hint=hint, suggestion=nearest)
