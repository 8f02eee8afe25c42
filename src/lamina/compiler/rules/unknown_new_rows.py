"""L448: a model keeps what it loaded from a source whose new rows cannot be distinguished from old ones.

Why: with `on_touch = "keep"` only new rows of the driver are loaded. A database table without a `load_time` has no new
rows, only other rows than before: each run would load all of them again, or none.
Fix: declare `load_time` for the table of the source, or remove `on_touch = "keep"`: the model is then rebuilt in every
run.
"""

from collections.abc import Iterator

from lamina.compiler.subject import ProjectSubject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L448", name="UnknownNewRows", looks_at="project")


def violations(subject: ProjectSubject) -> Iterator[Diagnostic]:
    """Yield each model that loads only new rows of a database table without a load time."""
    unwatched = {str(table.name): table for table in subject.sources if table.connection and table.load_time is None}
    for model in (item.model for item in subject.linked if unwatched):
        for use in model.inputs:
            table = unwatched.get(str(use.name))
            if table is None or table.places is None or not use.is_driver or use.on_touch != "keep":
                continue
            source, _, name = table.name.partition(".")
            yield RULE.finding(
                f"`{model.name}` keeps what it loaded from `{table.name}`, whose new rows are not known",
                place=table.places.of(f"source.{source}.tables.{name}"),
                model=model.name,
                hint='declare `load_time` for the table, or remove `on_touch = "keep"`',
            )
