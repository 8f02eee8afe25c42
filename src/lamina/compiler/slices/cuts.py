"""The nouns of the slice check: what of a block's rows depends on the range, and which reads are not bounded yet."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from lamina.compiler.query.operators import At, Comparator, JoinKind, Term
from lamina.compiler.slices.units import DAY_OR_LONGER, LENGTHS, UNBOUNDED, has_whole_days, is_whole_in, nests
from lamina.values.value import Value

Key = tuple[str, str]  # relation alias and column, or the clock of a zone that a column is put on

MOST_READS = 100  # of one occurrence of a table, each by another way


class Grid(Value, frozen=True):
    """The slices of a model: their unit, and the zone whose midnights they follow."""

    unit: str
    zone: str = "UTC"
    is_single: bool = False  # a batch is one slice
    is_dated: bool = False  # `@start_date` and `@end_date` are local dates, as the time column is

    def decides(self, unit: str, *, is_date: bool) -> bool:
        """Return whether a time cut to `unit` still identifies its slice; SQL cuts instants in UTC."""
        is_local = self.zone != "UTC" and self.unit in DAY_OR_LONGER and not is_date
        return nests(unit, self.unit) and not (is_local and not is_whole_in(self.zone, unit))

    def tells(self, term: Term, *, is_date: bool) -> bool:
        """Return whether a term still identifies its slice; on a zone's clock only days of the model's zone do."""
        if not term.zone:
            return self.decides(term.unit, is_date=is_date)
        return is_date and self.is_own_day(term) and self.has_local_days and nests(term.unit, self.unit)

    def is_own_day(self, term: Term) -> bool:
        """Return whether a term on the clock of a zone is cut to days, or longer, of the model's zone."""
        return term.zone == self.zone and term.unit in DAY_OR_LONGER

    @property
    def has_local_days(self) -> bool:
        """Return whether slices are made of days of a zone whose clocks never show a date twice."""
        return self.zone != "UTC" and self.unit in DAY_OR_LONGER and has_whole_days(self.zone)

    def is_date_bound(self, bound: Term) -> bool:
        """Return whether a bound of the range is a local date, not an instant."""
        return self.is_dated and bound.written.endswith("_date")

    def is_alike(self, *are_dates: bool) -> bool:
        """Return whether values, each a date or not, can be compared: outside UTC a day begins at another instant."""
        return self.zone == "UTC" or len(set(are_dates)) == 1

    def is_start(self, terms: tuple[Term, ...]) -> bool:
        """Return whether a value made of these terms is the start of the range, which lies in it."""
        return bool(terms) and all(
            term.bound == "start"
            and not term.low
            and not term.high
            and self.decides(term.unit, is_date=self.is_date_bound(term))
            for term in terms
        )


class Margin(NamedTuple):
    """How far before the start of the range, and past its end; or of a row, before it and after it."""

    before: int = 0
    after: int = 0

    def within(self, other: "Margin") -> "Margin":
        """Return what both hold."""
        return Margin(min(self.before, other.before), min(self.after, other.after))

    def beyond(self, other: "Margin") -> "Margin":
        """Return what one of both holds."""
        return Margin(max(self.before, other.before), max(self.after, other.after))

    def plus(self, other: "Margin") -> "Margin":
        """Return both together."""
        return Margin(min(UNBOUNDED, self.before + other.before), min(UNBOUNDED, self.after + other.after))

    def in_whole(self, unit: str) -> "Margin":
        """Return it lengthened to whole units."""
        return Margin(rounded_up(self.before, unit), rounded_up(self.after, unit))

    def cut_to(self, unit: str) -> "Margin":
        """Return it shortened to whole units."""
        return Margin(rounded_down(self.before, unit), rounded_down(self.after, unit))

    @property
    def is_bounded(self) -> bool:
        """Return whether it is known how far it goes."""
        return max(self) < UNBOUNDED


EXACT = Margin()
ANYWHERE = Margin(UNBOUNDED, UNBOUNDED)


class Carrier(NamedTuple):
    """What a column says about the rows that its row came from: none is farther away than `around`, in whole units."""

    around: Margin = EXACT
    unit: str = "instant"
    is_time: bool = False  # the table's own time column
    is_present: bool = False  # it is never null
    column: str = ""  # the table's column whose value it is; empty: one of several

    def reach(self, margin: Margin) -> "Reach":
        """Return how far outside the range rows are read, where the column lies at most `margin` outside it."""
        span = margin.in_whole(self.unit).plus(self.around.in_whole(self.unit))
        return Reach(span, self.column, self.is_time)

    def tied_by(self, unit: str, *, around: Margin = EXACT) -> "Carrier":
        """Return the carrier after each row was put together with those of the same unit, or of some time around it."""
        return self._replace(around=self.around.plus(around), unit=coarsest(self.unit, unit))


class Read(NamedTuple):
    """One occurrence of a table whose reach out of the range is not bounded yet."""

    table: str
    at: At
    file: str
    carriers: dict[str, Carrier]  # by output column
    ties: dict[Key, Carrier]  # by column of its SELECT that is compared with the query around
    why: str = ""  # the clause that ties rows of any time together


class Reach(NamedTuple):
    """How far outside the range rows of an occurrence are read, and the column of its table that bounds them."""

    margin: Margin
    column: str = ""
    is_time: bool = False

    @property
    def order(self) -> tuple[int, bool, str]:
        """Return what the best of several is chosen by: the shortest, then the table's own time."""
        return sum(self.margin), not self.is_time, self.column


class Link(NamedTuple):
    """A comparison in a correlated subquery of a column of its own with one of the query around it."""

    inner: Key
    term: Term
    comparator: Comparator
    outer: Term
    is_date: bool  # the inner column is one
    decides: bool  # the inner column identifies the slice of the subquery's rows


class Cut(NamedTuple):
    """One block: `columns` decide the slice of a row (None: the rows do not depend on the range).

    Rows up to `margin` outside the range are present, those up to `valid` outside it are right.
    """

    names: tuple[str, ...] | None
    columns: dict[str, bool] | None  # name to whether it is a date
    margin: Margin = EXACT
    valid: Margin = EXACT
    reads: tuple[Read, ...] = ()
    links: tuple[Link, ...] = ()
    dates: frozenset[str] = frozenset()  # columns that are dates
    is_alone: bool = False  # it surely does not depend on a query around it


class Operand(NamedTuple):
    """A block or table in a FROM clause."""

    alias: str
    join: JoinKind
    cut: Cut
    is_nullable: bool
    at: At

    @property
    def is_hidden(self) -> bool:
        """Return whether its columns cannot be selected."""
        return self.join in ("semi", "anti")


class Anchor(NamedTuple):
    """Columns known to lie in the range, or `margin` outside it; all of them identify the same slice."""

    keys: frozenset[Key]
    margin: Margin
    valid: Margin
    at: At


class Bounds(NamedTuple):
    """What a condition says of one column; None: nothing on that side."""

    before: int | None  # how far before the start its rows may lie
    after: int | None  # how far past the end
    valid: Margin
    at: At


class Difference(NamedTuple):
    """`right - left` lies in [low, high] microseconds; None: no bound."""

    left: Key
    right: Key
    low: int | None
    high: int | None
    unit: str = "instant"  # what the values are cut to, so only whole units around them are known

    @property
    def is_equality(self) -> bool:
        """Return whether both are the same time."""
        return self.low == 0 and self.high == 0

    def turned(self) -> "Difference":
        """Return the same fact with the sides swapped."""
        low = None if self.high is None else -self.high
        high = None if self.low is None else -self.low
        return Difference(self.right, self.left, low, high, self.unit)

    @property
    def around(self) -> Margin | None:
        """Return how far `right` may lie before and after `left`; None where it is not known."""
        if self.low is None or self.high is None:
            return None
        return Margin(max(0, -self.low), rounded_up(max(0, self.high), self.unit))

    def is_ahead(self, length: int) -> bool:
        """Return whether `right` is said to lie after a `left` of some length, or may do so by a known time."""
        if self.high is not None:
            return self.high > length or (self.low is not None and self.low > 0)
        return self.low is not None and self.low >= 0


def on_clock(column: str, zone: str) -> str:
    """Return the name under which a column on the clock of a zone is followed, beside the column itself.

    No column has such a name: those of columns are in lower case, those of zones are not.
    """
    return f"{column} in {zone}"


def off_clock(name: str, zone: str) -> str:
    """Return the column behind a name on the clock of a zone; any other name is returned as it is.

    >>> off_clock(on_clock("at", "Europe/Oslo"), "Europe/Oslo"), off_clock("at", "Europe/Oslo")
    ('at', 'at')
    """
    return name.removesuffix(on_clock("", zone))


def merge_anchors(first: Anchor, second: Anchor) -> Anchor:
    """Join two anchors that share a time."""
    margin, valid = first.margin.within(second.margin), first.valid.within(second.valid)
    return Anchor(first.keys | second.keys, margin, valid, first.at)


def unbounded(read: Read, why: str) -> Read:
    """Return a read that depends on rows of any time."""
    return read._replace(carriers={}, ties={}, why=read.why or why)


def distinct_reads(reads: tuple[Read, ...]) -> tuple[Read, ...]:
    """Return different reads once, for joins of a query with itself double them; too many are followed no further."""
    if len(reads) < 2:
        return reads
    found = _by_facts(reads)
    if len(found) > MOST_READS:
        counts = Counter((read.table, read.at, read.file) for read in found)
        is_tangled = {place for place, count in counts.items() if count > MOST_READS}
        why = "a query put together in too many ways"
        found = _by_facts(
            unbounded(read, why) if (read.table, read.at, read.file) in is_tangled else read for read in found
        )
    return found


def _by_facts(reads: Iterable[Read]) -> tuple[Read, ...]:
    return tuple({_facts(read): read for read in reads}.values())


def _facts(read: Read) -> tuple[object, ...]:
    return (read.table, read.at, read.file, read.why, frozenset(read.carriers.items()), frozenset(read.ties.items()))


def with_nulls(read: Read) -> Read:
    """Return a read whose columns are null in some rows."""
    return read._replace(carriers={name: item._replace(is_present=False) for name, item in read.carriers.items()})


def coarsest(*units: str) -> str:
    """Return the longest of some units."""
    return max(units, key=lambda unit: LENGTHS.get(unit, (0, 0)))


def unit_of(term: Term, *, is_date: bool) -> str:
    """Return what a term is cut to; a date stays what it is when it is cut to the day."""
    return "instant" if is_date and nests(term.unit, "day") else term.unit


def rounded_up(span: int, unit: str) -> int:
    """Lengthen a time outside the range to whole units, the longest there are.

    >>> rounded_up(0, "second"), rounded_up(5, "second"), rounded_up(5, "month") == rounded_up(31, "day") * 31
    (0, 1000000, True)
    """
    low, high = LENGTHS.get(unit, (1, 1))
    if not span or span >= UNBOUNDED:
        return span
    return min(-(-span // low) * high, span + high)


def rounded_down(span: int, unit: str) -> int:
    """Shorten a time outside the range to whole units; of units that differ in length none is counted."""
    low, high = LENGTHS.get(unit, (1, 1))
    if span >= UNBOUNDED:
        return span
    return span - span % low if low == high else 0
