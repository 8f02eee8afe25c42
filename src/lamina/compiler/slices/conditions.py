"""Turn the comparisons of a condition into bounds on columns and differences between them."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from lamina.compiler.query.operators import Comparator, Comparison, Term
from lamina.compiler.rules import inexact_range, loose_placeholder, one_sided_range
from lamina.compiler.slices.cuts import ANYWHERE, EXACT, Bounds, Difference, Grid, Key, coarsest, unit_of
from lamina.compiler.slices.misfits import misfit
from lamina.compiler.slices.units import DAY, UNBOUNDED, in_words
from lamina.values.diagnostic import Diagnostic

Resolve = Callable[[Term], Key | None]
Differences = dict[tuple[Key, Key], Difference]
TURNED: dict[Comparator, Comparator] = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "=": "="}


class Sides:
    """Owns the bounds found so far for each column."""

    def __init__(self, grid: Grid, is_date: Callable[[Key], bool]) -> None:
        self.grid = grid
        self.is_date = is_date
        self.found: dict[Key, Bounds] = {}
        self.refusals: list[Diagnostic] = []
        self.is_guessed = False  # a comparison was refused, and more may be read than the bounds say

    def add(self, key: Key, term: Term, comparator: Comparator, bound: Term, *, is_between: bool) -> None:
        """Add one comparison of a column with a bound of the range."""
        column = term.column
        is_date = self.is_date(key)
        if unfit := misfit(term, self.grid, is_date=is_date):
            self.refusals.append(inexact_range.finding_of_clock(unfit.text, hint=unfit.hint, at=term.at))
            self._guess((key[0], term.column), term)
            return
        if not self.grid.is_alike(is_date, self.grid.is_date_bound(bound)):
            self.refusals.append(inexact_range.finding_of_kind(term, bound, is_date=is_date, zone=self.grid.zone))
            self._guess(key, term)
            return
        coarse = [unit for unit in (term.unit, bound.unit) if not self.grid.decides(unit, is_date=is_date)]
        if coarse:
            text = f"`{column}` or the bound is cut to the {coarse[0]} before they are compared"
            self._inexact(key, text, term, bound)
            return
        bound = bound.replace(low=bound.low - term.high, high=bound.high - term.low)
        if is_date and self.grid.is_date_bound(bound):
            comparator, bound = half_open(comparator, bound)
        if bound.bound == "start" and comparator in (">=", ">"):
            self._start(key, term, bound, is_open=comparator == ">")
        elif bound.bound == "end" and comparator in ("<", "<="):
            self._end(key, term, bound, is_closed=comparator == "<=", is_between=is_between)
        elif comparator == "=":
            self._inexact(key, f"`{column}` is compared with one bound by `=`", term, bound)
        else:
            self.refusals.append(loose_placeholder.finding(at=term.at))

    def _start(self, key: Key, term: Term, bound: Term, *, is_open: bool) -> None:
        low, high = bound.low, bound.high
        if high > 0 or (is_open and high == 0):
            self._refuse(f"`{term.column}` starts after `@{bound.written}`", term, bound)
            low = high = 0
        old = self._so_far(key, term)
        before = -low if old.before is None else min(old.before, -low)
        valid = old.valid._replace(before=min(old.valid.before, max(0, -high - (1 if is_open else 0))))
        self.found[key] = old._replace(before=before, valid=valid)

    def _end(self, key: Key, term: Term, bound: Term, *, is_closed: bool, is_between: bool) -> None:
        column, end = term.column, f"`@{bound.written}`"
        self.is_guessed |= is_closed and bound.high >= 0
        if bound.low < 0:
            self._refuse(f"`{column}` ends before {end}", term, bound)
        elif is_closed:
            end = f"{end} + {in_words(bound.high)}" if bound.high else end
            self._refuse(
                f"BETWEEN includes {end}" if is_between else f"`<=` includes {end} for `{column}`", term, bound
            )
        old, low, high = self._so_far(key, term), max(0, bound.low), max(0, bound.high)
        after = high if old.after is None else min(old.after, high)
        valid = old.valid._replace(after=min(old.valid.after, low))
        self.found[key] = old._replace(after=after, valid=valid)

    def _so_far(self, key: Key, term: Term) -> Bounds:
        return self.found.get(key, Bounds(None, None, ANYWHERE, at=term.at))

    def _refuse(self, text: str, term: Term, bound: Term) -> None:
        kind = bound.written.rpartition("_")[2]
        self.refusals.append(inexact_range.finding(text, column=term.column, kind=kind, at=term.at))

    def _inexact(self, key: Key, text: str, term: Term, bound: Term) -> None:
        """Refuse a comparison once, and go on as if it were exact."""
        self._refuse(text, term, bound)
        self._guess(key, term)

    def _guess(self, key: Key, term: Term) -> None:
        self.is_guessed = True
        self.found[key] = Bounds(0, 0, EXACT, at=term.at)

    def closed(self) -> dict[Key, Bounds]:
        """Return the bounds of all columns; one without an end is refused."""
        for key, bounds in self.found.items():
            if bounds.after is None:
                self.is_guessed = True
                self.refusals.append(one_sided_range.finding(key[1], missing="upper bound", at=bounds.at))
        return self.found


def read_comparisons(
    comparisons: Iterable[Comparison], resolve: Resolve, *, sides: Sides
) -> tuple[list[Difference], list[Comparison]]:
    """Sort comparisons into bounds (added to `sides`), differences, and those with a query around, at right."""
    differences: Differences = {}
    outer: list[Comparison] = []
    for item in comparisons:
        left, right = item.left, item.right
        comparator = item.comparator
        if left.bound and not right.bound:
            left, right, comparator = right, left, TURNED[comparator]
        key = resolve(left)
        if right.bound:
            if left.bound and _is_in_order(left, comparator, right):
                continue
            if key is None:
                sides.refusals.append(loose_placeholder.finding(at=left.at))
            else:
                sides.add(key, left, comparator, right, is_between=item.is_between)
            continue
        other = resolve(right)
        if key is not None and other is not None:
            first, second = (Side(*side, sides.is_date(side[0])) for side in ((key, left), (other, right)))
            add_difference(differences, first, second, comparator=comparator, grid=sides.grid)
        elif key is not None:
            outer.append(Comparison(left, comparator, right))
        elif other is not None:
            outer.append(Comparison(right, TURNED[comparator], left))
    return list(differences.values()), outer


def _is_in_order(left: Term, comparator: Comparator, right: Term) -> bool:
    """Return whether two bounds are compared in a way that holds for every range."""
    if left.bound == "end":
        left, right, comparator = right, left, TURNED[comparator]
    is_plain = all(not term.low and not term.high and term.unit == "instant" for term in (left, right))
    return is_plain and (left.bound, right.bound) == ("start", "end") and comparator in ("<", "<=")


def half_open(comparator: Comparator, bound: Term) -> tuple[Comparator, Term]:
    """Write a comparison of a date with another one half-open: what is `<= d - 1 day` is `< d`."""
    if comparator not in ("<=", ">") or abs(bound.high) < DAY or bound.low % DAY or bound.high % DAY:
        return comparator, bound
    return "<" if comparator == "<=" else ">=", bound.replace(low=bound.low + DAY, high=bound.high + DAY)


def ends_before_range(comparisons: Iterable[Comparison]) -> bool:
    """Return whether one of some bounds leaves out the range itself and what follows it."""
    return any(True for _ in _ending_columns(comparisons))


def reach_before_range(comparisons: tuple[Comparison, ...], grid: Grid) -> int:
    """Return how far before the range a column may lie that some bounds end before it."""
    ending, reaches = set(_ending_columns(comparisons)), [UNBOUNDED]
    for term, comparator, bound in _bounded(comparisons):
        is_whole = all(grid.decides(unit, is_date=True) for unit in (bound.unit, term.unit))
        if comparator in (">", ">=", "=") and term.column in ending and is_whole:
            reaches.append(max(0, term.high - bound.low))
    return min(reaches)


def _ending_columns(comparisons: Iterable[Comparison]) -> Iterator[str]:
    for term, comparator, bound in _bounded(comparisons):
        is_end = comparator == "<" or (comparator in ("<=", "=") and bound.high < 0)
        if is_end and bound.bound == "start" and bound.high <= 0:
            yield term.column


def _bounded(comparisons: Iterable[Comparison]) -> Iterator[tuple[Term, Comparator, Term]]:
    """Yield comparisons with a bound of the range as column, comparator, bound."""
    for item in comparisons:
        if item.right.bound:
            yield item.left, item.comparator, item.right
        else:
            yield item.right, TURNED[item.comparator], item.left


class Side(NamedTuple):
    """One side of a comparison of two columns."""

    key: Key
    term: Term
    is_date: bool


def add_difference(found: Differences, left: Side, right: Side, *, comparator: Comparator, grid: Grid) -> None:
    """Add what a comparison says about two columns, if both still identify their slices."""
    is_known = all(grid.tells(side.term, is_date=side.is_date) for side in (left, right))
    if not is_known or not grid.is_alike(left.is_date, right.is_date):
        return
    if left.key > right.key:
        left, right, comparator = right, left, TURNED[comparator]
    # Dates are whole days apart: what is more than 7 days before is 8, what is less is 6.
    nearer = DAY if comparator in ("<", ">") and all(_is_whole_date(side) for side in (left, right)) else 0
    low = left.term.low - right.term.high + nearer if comparator in ("=", "<", "<=") else None
    high = left.term.high - right.term.low - nearer if comparator in ("=", ">", ">=") else None
    pair = (left.key, right.key)
    old = found.get(pair, Difference(*pair, None, None))
    lows = [value for value in (old.low, low) if value is not None]
    highs = [value for value in (old.high, high) if value is not None]
    unit = coarsest(old.unit, *(unit_of(side.term, is_date=side.is_date) for side in (left, right)))
    found[pair] = Difference(*pair, max(lows, default=None), min(highs, default=None), unit)


def _is_whole_date(side: Side) -> bool:
    """Return whether a side is a date, moved by whole days or not at all."""
    return side.is_date and side.term.unit in ("instant", "day") and not (side.term.low % DAY or side.term.high % DAY)
