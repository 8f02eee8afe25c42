"""The nouns of the slice check: what of a block's rows depends on the range, and which reads are not bounded yet."""

from typing import NamedTuple

from lamina.compiler.operators import At, JoinKind, Term
from lamina.compiler.units import DAY_OR_LONGER, UNBOUNDED, is_whole_in, nests
from lamina.values.value import Value

Key = tuple[str, str]  # relation alias and column


class Grid(Value, frozen=True):
    """The slices of a model: their unit, and the zone whose midnights they follow."""

    unit: str
    zone: str = "UTC"
    is_single: bool = False  # a batch is one slice

    def decides(self, unit: str, *, is_date: bool) -> bool:
        """Tell whether a time cut to `unit` still tells its slice; SQL cuts instants in UTC."""
        is_local = self.zone != "UTC" and self.unit in DAY_OR_LONGER and not is_date
        return nests(unit, self.unit) and not (is_local and not is_whole_in(self.zone, unit))

    def is_start(self, terms: tuple[Term, ...]) -> bool:
        """Tell whether a value made of these terms is the start of the range, which lies in it."""
        return bool(terms) and all(
            term.bound == "start" and not term.low and not term.high and self.decides(term.unit, is_date=False)
            for term in terms
        )


class Read(NamedTuple):
    """A table whose reach into the past is not bounded yet; a row of the block depends on rows `back` before it."""

    table: str
    at: At
    file: str
    carriers: frozenset[str]  # columns that hold, in each row, the time of the rows it came from
    back: int = 0
    why: str = ""  # the clause that ties rows of any time together


class Link(NamedTuple):
    """An equality of a correlated subquery with a column of the query around it."""

    outer: Term
    decides: bool
    tables: frozenset[str]


class Cut(NamedTuple):
    """One block: `columns` decide the slice of a row (None: the rows do not depend on the range).

    Rows from `before` the start are present, those from `valid` before it are right.
    """

    names: tuple[str, ...] | None
    columns: dict[str, bool] | None  # name to whether it is a date
    before: int = 0
    valid: int = 0
    reads: tuple[Read, ...] = ()
    links: tuple[Link, ...] = ()


class Operand(NamedTuple):
    """A block or table in a FROM clause."""

    alias: str
    join: JoinKind
    cut: Cut
    is_nullable: bool
    at: At

    @property
    def is_hidden(self) -> bool:
        """Tell whether its columns cannot be selected."""
        return self.join in ("semi", "anti")


class Anchor(NamedTuple):
    """Columns known to lie in the range, from `before` its start; all of them tell the same slice."""

    keys: frozenset[Key]
    before: int
    valid: int
    at: At


class Bounds(NamedTuple):
    """What a condition says of one column; None: nothing on that side."""

    before: int | None  # how far before the start its rows may lie
    valid: int
    has_end: bool
    at: At


class Difference(NamedTuple):
    """`right - left` lies in [low, high] microseconds; None: no bound."""

    left: Key
    right: Key
    low: int | None
    high: int | None
    is_cut: bool = False  # of values cut to a unit, so only whole days around them are known

    @property
    def is_equality(self) -> bool:
        """Tell whether both are the same time."""
        return self.low == 0 and self.high == 0

    def turned(self) -> "Difference":
        """Return the same fact with the sides swapped."""
        low = None if self.high is None else -self.high
        high = None if self.low is None else -self.low
        return Difference(self.right, self.left, low, high, self.is_cut)


def merge_anchors(first: Anchor, second: Anchor) -> Anchor:
    """Join two anchors that share a time."""
    return Anchor(first.keys | second.keys, min(first.before, second.before), min(first.valid, second.valid), first.at)


def unbounded(read: Read, why: str) -> Read:
    """Return a read that depends on rows of any time."""
    return read._replace(carriers=frozenset(), back=UNBOUNDED, why=read.why or why)
