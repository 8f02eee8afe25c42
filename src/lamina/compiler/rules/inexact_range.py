"""L414: a bound of the range is inclusive, shifted, or not compared as half-open.

Why: slices are half-open `[start, end)`: with `<=` or BETWEEN a row on the border is in two slices, with `>` in none.
Outside UTC a date is not the instant at which its day begins: a date against `@start_ts` gives rows of another day.
Fix: use `column >= @start_date AND column < @end_date`; for a timestamp beside a time column of type date, `@start_ts`
and `@end_ts`.
"""

from lamina.compiler.query.operators import At, Term
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L414", name="InexactRange")


def finding(found: str, *, column: str, kind: str, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"{found}, but a slice is half-open", hint=f"use `{column} >= @start_{kind} AND {column} < @end_{kind}`", at=at
    )


def finding_of_clock(found: str, *, hint: str, at: At) -> Diagnostic:
    """Return the finding for a column on the clock of a zone that identifies no slice."""
    return RULE.finding(found, hint=hint, at=at)


def finding_of_kind(term: Term, bound: Term, *, is_date: bool, zone: str) -> Diagnostic:
    """Return the finding for a date compared with an instant, or an instant with a date, outside UTC."""
    name = f"`{term.column}` in `{term.zone}`" if term.zone else f"`{term.column}`"
    what = f"{name} is {'a date' if is_date else 'not a date'}"
    other = "an instant" if is_date else "a date"
    column = "a time column of type date" if is_date else f"`@start_ts` and `@end_ts` for `{term.column}`"
    return RULE.finding(
        f"{what} and `@{bound.written}` is {other}, but days of `{zone}` do not begin at midnight in UTC",
        hint=f"use {'`@start_date` and `@end_date` with ' if is_date else ''}{column}",
        at=term.at,
    )
