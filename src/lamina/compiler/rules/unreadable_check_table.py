"""L260: a check reads a table or a column that it cannot read.

Why: a check that cannot run counts as failed, after the rows were computed. `to` of a `relationships` check needs a
table, and `field` a column of it; the query of a `custom_sql` check reads the model itself and the model's inputs,
because only their versions belong to the rows that are checked.
Fix: correct the name; read a table that is no input by adding it to `depends_on`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject, find_column, suggestion_hint
from lamina.project.model import CheckSettings
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName
from lamina.values.nearest import nearest
from lamina.values.rule import Rule

RULE = Rule(code="L260", name="UnreadableCheckTable")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield what `to`, `field` and `sql` of checks name and cannot read."""
    for number, check in enumerate(subject.model.settings.checks):
        if check.to is not None and (table := subject.model.looked_up.get(check.to)) is not None:
            yield from _of_relationship(subject, check, table, number=number)
        if check.sql is not None:
            yield from _of_query(subject, check.sql, title=f"check `{check.name or check.type}`", number=number)


def _of_relationship(subject: Subject, check: CheckSettings, table: TableName, *, number: int) -> Iterator[Diagnostic]:
    model, title = subject.model, f"check `{check.name or check.type}`"
    if table in subject.ephemeral:
        place = subject.place_of(f"checks.{number}.to")
        message = f"{title} looks values up in `{table}`, which is ephemeral and has no table"
        yield RULE.finding(message, place=place, model=model.name, hint="name a model or source that has one")
        return
    is_own = table == TableName(model.name)
    columns = model.columns if is_own else subject.schemas.get(table)
    if columns is None or find_column(columns, str(check.field)) is not None:
        return
    close = nearest(str(check.field), [str(column.name) for column in columns])
    yield RULE.finding(
        f"{title} looks values up in `{check.field}`, which is not a column of `{table}`",
        place=subject.place_of(f"checks.{number}.field"),
        model=model.name,
        hint=suggestion_hint(close, f"use a column of `{table}`"),
        suggestion=close,
    )


def _of_query(subject: Subject, sql: str, *, title: str, number: int) -> Iterator[Diagnostic]:
    from lamina.compiler.check_query import check_query, unknown_tables

    name = subject.model.name
    for table in unknown_tables(check_query(subject.model, sql)):
        yield RULE.finding(
            f"{title} reads `{table}`, which is neither `{name}` nor an input of it",
            place=subject.place_of(f"checks.{number}.sql"),
            model=name,
            hint=f"read `{name}` or one of its inputs; `depends_on` adds one",
        )
