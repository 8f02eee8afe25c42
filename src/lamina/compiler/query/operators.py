"""What a query does, as plain facts: reads, joins, range filters, groups, windows, set operations; no trees.

Blocks are numbered; a block reads tables or earlier blocks. Names are in lower case; `at` is a line and a column.
"""

from typing import Literal

from lamina.values.value import Value

At = tuple[int, int]
NOWHERE: At = (1, 1)

JoinKind = Literal["inner", "left", "right", "full", "semi", "anti", "generator"]
Comparator = Literal[">=", ">", "<", "<=", "="]
FunctionKind = Literal["aggregate", "volatile", "unordered", "unknown"]
SubqueryKind = Literal["scalar", "exists", "in"]
Bound = Literal["", "start", "end"]


class Term(Value, frozen=True, array_like=True):
    """A column or a bound of the range, truncated to `unit`, then shifted by `low` to `high` microseconds."""

    relation: str = ""  # alias; empty: unqualified
    column: str = ""  # empty: a bound
    bound: Bound = ""
    unit: str = "instant"
    low: int = 0
    high: int = 0
    at: At = NOWHERE
    written: str = ""  # the name of a bound, such as `start_ts`
    zone: str = ""  # a column was put on the clock of this zone before it was truncated


class Comparison(Value, frozen=True, array_like=True):
    """One conjunct that compares two terms."""

    left: Term
    comparator: Comparator
    right: Term
    is_between: bool = False


class FunctionUse(Value, frozen=True, array_like=True):
    """A call that bears on incrementality; `unordered` ones depend on the order of rows."""

    kind: FunctionKind
    name: str
    at: At


class Subquery(Value, frozen=True, array_like=True):
    """A query inside an expression; `term` is what IN compares with its first column."""

    kind: SubqueryKind
    block: int
    term: Term | None
    at: At
    is_filter: bool = False  # rows for which it is unknown go as those for which it is false


class Condition(Value, frozen=True, array_like=True):
    """A WHERE or ON clause: its conjuncts that can be read as comparisons of time terms."""

    comparisons: tuple[Comparison, ...] = ()
    loose_bounds: tuple[At, ...] = ()  # uses of a range bound that no comparison explains
    unread: tuple[Term, ...] = ()  # columns of the other conjuncts; one without a name for each subquery in them


class Relation(Value, frozen=True, array_like=True):
    """One operand of FROM: a table by its written name, or an earlier block, or neither (rows made from nothing)."""

    alias: str
    join: JoinKind
    table: str = ""
    block: int = -1
    on: Condition = Condition()
    using: tuple[str, ...] = ()
    is_natural: bool = False
    columns: tuple[str, ...] = ()  # names given by the alias
    opaque: str = ""  # a clause that cannot be seen through, such as PIVOT
    at: At = NOWHERE


class OutputColumn(Value, frozen=True, array_like=True):
    """One projection; `terms` are the values it may take: one, several of a COALESCE, none if it is not a time term."""

    name: str
    terms: tuple[Term, ...] = ()
    star: str | None = None  # the relation of a star, empty for all
    left_out: tuple[str, ...] = ()


class OrderTerm(Value, frozen=True, array_like=True):
    """One key of an ORDER BY."""

    term: Term | None
    is_descending: bool = False


class Window(Value, frozen=True, array_like=True):
    """A function over a window; how far its frame reaches `back` and `ahead` in microseconds, None without bound."""

    function: str
    partition: tuple[Term | None, ...]
    order: tuple[OrderTerm, ...]
    back: int | None
    ahead: int | None
    is_numbering: bool  # its value depends on the order among ties
    at: At


class Limit(Value, frozen=True, array_like=True):
    """A LIMIT, OFFSET or TOP with the order it applies to."""

    order: tuple[OrderTerm, ...]
    at: At


class SelectBlock(Value, frozen=True, array_like=True, tag="select"):
    """One SELECT."""

    relations: tuple[Relation, ...] = ()
    where: Condition = Condition()
    outputs: tuple[OutputColumn, ...] = ()
    keys: tuple[Term | None, ...] | None = None  # GROUP BY; None: not grouped
    has_grouping_sets: bool = False
    functions: tuple[FunctionUse, ...] = ()
    windows: tuple[Window, ...] = ()
    subqueries: tuple[Subquery, ...] = ()
    distinct: At | None = None
    limit: Limit | None = None
    grouped_at: At | None = None
    loose_bounds: tuple[At, ...] = ()  # range bounds outside WHERE and ON
    opaque: str = ""
    at: At = NOWHERE
    file: str = ""  # set when the block of another file is inlined


class SetBlock(Value, frozen=True, array_like=True, tag="set"):
    """UNION, INTERSECT or EXCEPT of earlier blocks, all of one kind."""

    operator: Literal["union", "intersect", "except"]
    is_distinct: bool
    is_by_name: bool
    branches: tuple[int, ...]
    limit: Limit | None = None
    at: At = NOWHERE
    file: str = ""


Block = SelectBlock | SetBlock


class RunParameter(Value, frozen=True, array_like=True):
    """A use of `@name`."""

    name: str
    at: At
    file: str = ""


class QueryShape(Value, frozen=True, array_like=True):
    """The blocks of one query, each after the ones it reads; the last is the result."""

    blocks: tuple[Block, ...] = ()
    parameters: tuple[RunParameter, ...] = ()
