"""L259: what a check is written with cannot run.

Why: a check that cannot run counts as failed, after the rows were computed. `where`, and the `expression` of a check of
that type, are conditions on one row of the model's output: no aggregate, no window function, no `@parameter`. The
`expression` of an `aggregate` check is a number made of aggregates. `sql` is one query without `@parameters`.
Fix: correct it; what needs many rows goes into an `aggregate` or `custom_sql` check.
"""

from collections.abc import Iterator

from lamina.compiler.rules import missing_check_column, unknown_function, wrong_argument_count
from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L259", name="InvalidCheck")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield what is wrong with each text of a check, columns and functions that do not exist too."""
    for number, check in enumerate(subject.model.settings.checks):
        named = f"check `{check.name or check.type}`"
        for key, text in (("expression", check.expression), ("where", check.where)):
            if text is not None:
                place = subject.place_of(f"checks.{number}.{key}")
                is_aggregate = key == "expression" and check.type == "aggregate"
                yield from _findings(subject, text, title=f"`{key}` of {named}", place=place, is_aggregate=is_aggregate)
        if check.sql is not None:
            yield from _of_query(subject, check.sql, title=f"`sql` of {named}", number=number)


def _findings(subject: Subject, text: str, *, title: str, place: Place, is_aggregate: bool) -> Iterator[Diagnostic]:
    # Imported here: most models have no such check, and linking alone needs no parser.
    from lamina.compiler.problems.check_conditions import read_condition
    from lamina.compiler.problems.unknown_functions import meant_function

    model = subject.model
    reading = read_condition(text, model.columns, is_aggregate=is_aggregate)
    for flaw in reading.flaws:
        yield RULE.finding(f"{title} {flaw.reason}", place=place, model=model.name, hint=flaw.hint)
    for name in reading.unknown_columns:
        yield missing_check_column.finding(subject, name, title=title, place=place)
    for name in reading.unknown_functions:
        yield unknown_function.finding(name, place=place, meant=meant_function(name)).replace(model=model.name)
    for call in reading.miscounted:
        found = wrong_argument_count.finding(call.name, place=place, given=call.given, taken=call.taken)
        yield found.replace(model=model.name)


def _of_query(subject: Subject, sql: str, *, title: str, number: int) -> Iterator[Diagnostic]:
    from lamina.compiler.check_query import check_query, query_findings

    place, part = subject.place_of(f"checks.{number}.sql"), check_query(subject.model, sql)
    yield from query_findings(subject, part, place=place)
    for use in part.query.parameters:
        yield RULE.finding(
            f"{title} reads `@{use.name}`, and parameters are not known in checks",
            place=place,
            model=subject.model.name,
            hint="write the value itself",
        )
