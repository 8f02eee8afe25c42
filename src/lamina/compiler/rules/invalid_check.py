"""L259: the condition of a check cannot run.

Why: a check that cannot run counts as failed, after the rows were computed. Its `expression` and `where` are conditions
on one row of the model's output: no aggregate, no window function, no `@parameter`.
Fix: correct the condition; what needs many rows goes into the query, or into a model of its own.
"""

from collections.abc import Iterator

from lamina.compiler.rules import missing_check_column, unknown_function, wrong_argument_count
from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L259", name="InvalidCheck")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield what is wrong with each condition, columns and functions that do not exist too."""
    for number, check in enumerate(subject.model.settings.checks):
        for key, text in (("expression", check.expression), ("where", check.where)):
            if text is not None:
                title = f"`{key}` of check `{check.name or check.type}`"
                yield from _findings(subject, text, title=title, place=subject.place_of(f"checks.{number}.{key}"))


def _findings(subject: Subject, text: str, *, title: str, place: Place) -> Iterator[Diagnostic]:
    # Imported here: most models have no such check, and linking alone needs no parser.
    from lamina.compiler.problems.check_conditions import read_condition
    from lamina.compiler.problems.unknown_functions import meant_function

    model = subject.model
    reading = read_condition(text, model.columns)
    for flaw in reading.flaws:
        yield RULE.finding(f"{title} {flaw.reason}", place=place, model=model.name, hint=flaw.hint)
    for name in reading.unknown_columns:
        yield missing_check_column.finding(subject, name, title=title, place=place)
    for name in reading.unknown_functions:
        yield unknown_function.finding(name, place=place, meant=meant_function(name)).replace(model=model.name)
    for call in reading.miscounted:
        found = wrong_argument_count.finding(call.name, place=place, given=call.given, taken=call.taken)
        yield found.replace(model=model.name)
