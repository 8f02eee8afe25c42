"""L261: the type of a column does not fit its check.

Why: Spark would refuse the comparison, or compare texts where times were meant; a check that cannot run counts as
failed, after the rows were computed.
Fix: check another column, or another way: numbers and times have ranges, texts match patterns, times can be in the
future.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.project.model import CheckSettings
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule
from lamina.values.schema import UNKNOWN

RULE = Rule(code="L261", name="UnfitCheckColumn")

_NUMBERS = frozenset({"tinyint", "smallint", "int", "bigint", "float", "double", "decimal"})
_TIMES = frozenset({"date", "timestamp", "timestamp_ntz"})
_ANY = frozenset({UNKNOWN, "void"})


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each check whose column has a type that it cannot look at."""
    for number, check in enumerate(subject.model.settings.checks):
        column = subject.column(check.column) if check.column is not None else None
        fitting, needs = _fitting(check)
        if column is None or not fitting or column.type.partition("(")[0] in fitting | _ANY:
            continue
        yield RULE.finding(
            f"check `{check.name or check.type}` needs {needs}, and `{column.name}` is `{column.type}`",
            place=subject.place_of(f"checks.{number}.column"),
            model=subject.model.name,
            hint=f"check a column of another type, or make `{column.name}` {needs} in the query",
        )


def _fitting(check: CheckSettings) -> tuple[frozenset[str], str]:
    """Return the types that a check can look at, and that in words; no types: any."""
    match check.type:
        case "freshness" | "not_in_future":
            return _TIMES, "a date or timestamp"
        case "regex_match":
            return frozenset({"string"}), "a string"
        case "in_range" if isinstance(check.min if check.min is not None else check.max, str):
            return _TIMES, "a date or timestamp"
        case "in_range":
            return _NUMBERS, "a number"
        case _:
            return frozenset(), ""
