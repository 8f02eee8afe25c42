"""How a model reads its own past: slices are built one by one, so any cut of its time that ends before one is exact."""

from collections.abc import Callable, Iterable, Iterator

from lamina.compiler.query.operators import Comparison, Relation, Term
from lamina.compiler.rules import one_sided_range, reach_outside_range, short_window
from lamina.compiler.slices.conditions import TURNED, ends_before_range
from lamina.compiler.slices.cuts import Grid, Key
from lamina.compiler.slices.units import UNBOUNDED, in_words
from lamina.compiler.slices.verdict import InputFacts
from lamina.compiler.slices.window_words import span_in_words, window_setting
from lamina.values.diagnostic import Diagnostic

Resolve = Callable[[Term], Key | None]


def cuts_of(past: Relation, comparisons: Iterable[Comparison], resolve: Resolve) -> list[Comparison]:
    """Return the comparisons that bound the past by the range."""
    return [item for item in comparisons if _cuts(item, past, resolve)]


def times_cut(past: Relation, facts: InputFacts, cuts: Iterable[Comparison], *, grid: Grid) -> tuple[Comparison, ...]:
    """Return the cuts of the past by its time, with that alone on the left."""
    # Names that its alias gives may be those of other columns.
    named = cuts if not past.columns else ()
    return tuple(found for item in named if (found := _cut_of_time(item, facts, grid)) is not None)


def judge_past(past: Relation, facts: InputFacts, times: tuple[Comparison, ...], *, reach: int) -> Iterator[Diagnostic]:
    """Yield a refusal where the past reaches into the slice, or further back than its declared window."""
    if not ends_before_range(times):
        yield one_sided_range.finding_of_past(past.table, at=past.at)
    if facts.window is None:
        return  # how far it reaches is known, or every later slice follows
    declared = in_words(facts.window)
    if reach >= UNBOUNDED:
        text = f"`{past.table}` is read without bound before the slice, but the declared window is {declared}"
        hint = "bound it by `>= @start_date - INTERVAL ...`, or leave the window out: then all later slices follow"
        yield reach_outside_range.finding(text, hint=hint, at=past.at)
    elif reach > facts.window:
        span, setting = span_in_words(reach, 0), window_setting(reach, 0)
        yield short_window.finding(facts.name, declared=declared, reach=span, setting=setting, at=past.at)


def _cuts(comparison: Comparison, past: Relation, resolve: Resolve) -> bool:
    terms = (comparison.left, comparison.right)
    keys = (resolve(term) for term in terms)
    return any(term.bound for term in terms) and any(key is not None and key[0] == past.alias for key in keys)


def _cut_of_time(comparison: Comparison, facts: InputFacts, grid: Grid) -> Comparison | None:
    """Return a cut with the time column alone on its left; None where it does not identify the slice of a row."""
    term, bound, comparator = comparison.left, comparison.right, comparison.comparator
    if term.bound:
        term, bound, comparator = bound, term, TURNED[comparator]
    is_date = term.column in {str(name).lower() for name in facts.dates}
    is_whole = not term.zone and all(grid.decides(unit, is_date=is_date) for unit in (term.unit, bound.unit))
    is_time = facts.time_column is not None and term.column == facts.time_column.lower()
    if not is_time or not is_whole or not grid.is_alike(is_date, grid.is_date_bound(bound)):
        return None
    moved = bound.replace(low=bound.low - term.high, high=bound.high - term.low)
    return Comparison(left=term.replace(low=0, high=0), comparator=comparator, right=moved)
