"""L102: a folder has no `lamina.toml`.

Why: the project's name is part of every mark in every table, so it cannot be guessed.
Fix: run the command inside a project, name one with `--project-dir`, or start one with `lamina init`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L102", name="MissingProjectFile")


def finding(root: str) -> Diagnostic:
    """Return the finding for a folder that is not a project."""
    hint = "go into a project, name one with `--project-dir`, or start one with `lamina init`"
    return RULE.finding(f"no `lamina.toml` in `{root}`", place=Place(file="lamina.toml"), hint=hint)
