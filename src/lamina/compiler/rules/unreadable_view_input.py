"""L274: a view reads files or a database, which readers outside the project cannot find.

Why: the text of a view names tables of the catalog. How files and databases are found and read is known to this project
only, so another program could not read the view.
Fix: read the source in a model with a table and let the view read that, or use the strategy `ephemeral`, which makes no
view in the catalog.
"""

from collections.abc import Iterator

from lamina.compiler.subject import ProjectSubject
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.names import TableName
from lamina.values.rule import Rule

RULE = Rule(code="L274", name="UnreadableViewInput", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield each source outside the catalog that a view reads, also through models that are inlined in it."""
    outside = {TableName(source.name): source.in_words for source in subject.sources if not source.is_table}
    for model in (item.model for item in subject.linked if item.model.is_view):
        for use in model.inputs:
            if use.name in outside:
                yield RULE.finding(
                    f"view `{model.name}` reads `{use.name}`, which is {outside[use.name]}: readers outside the "
                    "project could not read the view",
                    place=Place(file=model.path),
                    model=model.name,
                    hint='read it in a model with a table, or use `type = "ephemeral"`',
                )
