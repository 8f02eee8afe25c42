"""L233: a computed output column has no alias.

Why: Spark names it after its expression (`count(1)`, `(a + 1)`), so readers must quote the name, and the column gets
another name whenever the expression is written differently.
Fix: give the expression an alias with AS.
"""

from collections.abc import Iterator

from lamina.compiler.query.object import Output, QueryObject, SelectScope, SetScope
from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L233", name="UnnamedColumn", severity="warning")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each column of the result that is named after its expression."""
    query = subject.query
    if query is None or query.root < 0 or (subject.model.is_ephemeral and not subject.model.is_view):
        return
    for position, item in enumerate(_outputs(query)):
        if isinstance(item, Output) and not item.name.isidentifier() and not _is_quoted(item, subject.file.text):
            named = f", so Spark calls it `{item.name}`" if item.name else ""
            yield RULE.finding(
                f"column {position + 1} of `{subject.model.name}` is computed and has no alias{named}",
                place=subject.place_in_text(item.start),
                model=subject.model.name,
                hint="add `AS` and a name after the expression",
            )


def _outputs(query: QueryObject) -> tuple[object, ...]:
    """Return the items of the SELECT that names the columns: the first one of a set operation."""
    scope = query.scopes[query.root]
    while isinstance(scope, SetScope):
        scope = query.scopes[scope.branches[0]]
    return scope.outputs if isinstance(scope, SelectScope) else ()


def _is_quoted(item: Output, text: str) -> bool:
    return bool(item.name) and text.startswith(f"`{item.name}`", item.start)
