"""How a model reads its own past: slices are built one by one, so any cut that ends before the slice is exact."""

from collections.abc import Callable, Iterable, Iterator

from lamina.compiler.conditions import ends_before_range, reach_before_range
from lamina.compiler.cuts import Grid, Key
from lamina.compiler.operators import Comparison, Relation, Term
from lamina.compiler.rules import one_sided_range, reach_outside_range, short_window
from lamina.compiler.units import UNBOUNDED, in_words
from lamina.compiler.verdict import InputFacts, Refusal

Resolve = Callable[[Term], Key | None]


def cuts_of(past: Relation, comparisons: Iterable[Comparison], resolve: Resolve) -> list[Comparison]:
    """Return the comparisons that bound the past by the range."""
    return [item for item in comparisons if _cuts(item, past, resolve)]


def judge_past(past: Relation, facts: InputFacts, cuts: list[Comparison], *, grid: Grid) -> Iterator[Refusal]:
    """Yield a refusal where the past reaches into the slice, or further back than its declared window."""
    if not ends_before_range(cuts):
        yield one_sided_range.past_refusal(past.table, at=past.at)
    if facts.window is None:
        return  # without a window every later slice follows
    reach = reach_before_range(tuple(cuts), grid)
    declared = in_words(facts.window)
    if reach >= UNBOUNDED:
        text = f"`{past.table}` is read without bound before the slice, but the declared window is {declared}"
        hint = "bound it by `>= @start_date - INTERVAL ...`, or leave the window out: then all later slices follow"
        yield reach_outside_range.refusal(text, hint=hint, at=past.at)
    elif reach > facts.window:
        yield short_window.refusal(facts.name, declared=declared, reach=in_words(reach), at=past.at)


def _cuts(comparison: Comparison, past: Relation, resolve: Resolve) -> bool:
    terms = (comparison.left, comparison.right)
    keys = (resolve(term) for term in terms)
    return any(term.bound for term in terms) and any(key is not None and key[0] == past.alias for key in keys)
