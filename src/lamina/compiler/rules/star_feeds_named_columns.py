"""L232: a star over a table passes on columns that other models name.

Why: a column that disappears upstream breaks the readers, not the model with the star; a new one is added unnoticed.
Fix: list the columns that the readers need.
"""

from collections.abc import Iterator

from lamina.compiler.query.places import place_at
from lamina.compiler.subject import ProjectSubject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L232", name="StarFeedsNamedColumns", severity="info", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield each star over a table whose columns another model names."""
    starred = [item for item in subject.linked if item.stars]
    if not starred:
        return  # as nearly always
    readers: dict[str, str] = {}
    for item in subject.linked:
        for use in item.model.inputs:
            if use.read_set:
                readers.setdefault(use.name.lower(), item.model.name)
    for item in starred:
        model = item.model
        reader = readers.get(model.name.lower())
        for start in item.stars if reader else ():
            yield RULE.finding(
                f"`*` of `{model.name}` feeds columns that `{reader}` names",
                place=place_at(model.text, max(start, model.text.find("*"))).replace(file=model.path),
                model=model.name,
                hint="list the columns that the readers need",
            )
