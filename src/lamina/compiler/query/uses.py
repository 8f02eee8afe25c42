"""Which columns an expression uses, from which relation, and how: the raw material of lineage and read sets."""

from collections.abc import Callable
from typing import NamedTuple

from sqlglot import exp

from lamina.compiler.query.object import AGGREGATION, CAST, DIRECT, EXPRESSION, PARAMETER_RELATION, Use
from lamina.compiler.types.program_form import Program
from lamina.values.value import Value

PARAMETERS = "@"  # the qualifier of columns that mean `@name`; no relation can be called so

_SAME_ROW = (exp.Alias, exp.Paren, exp.Ordered, exp.Order, exp.Where)
_CASTS = (exp.Cast, exp.TryCast)
_LEAVES = frozenset({exp.Boolean, exp.DataType, exp.Identifier, exp.Literal, exp.Null, exp.Var})  # use no column
# The parser files these under aggregates; over a window they pick or number rows instead of combining them.
_ROW_PICKING = tuple(
    getattr(exp, name)
    for name in (
        "CumeDist",
        "DenseRank",
        "FirstValue",
        "Lag",
        "LastValue",
        "Lead",
        "NthValue",
        "Ntile",
        "PercentRank",
        "Rank",
        "RowNumber",
    )
    if hasattr(exp, name)
)


ONLY_OVER_WINDOWS = tuple(kind for kind in _ROW_PICKING if kind not in (exp.FirstValue, exp.LastValue))
"""Functions that only a window can evaluate."""


class Located(Value, frozen=True):
    """Where a column name leads: a relation or scope, the column, and the struct fields after it."""

    relation: int
    name: str
    fields: tuple[str, ...]
    start: int
    is_qualifier: bool = False

    def use(self, kind: int) -> Use | None:
        """Return the use of the column, of which a field is no longer the whole; None for a parameter."""
        if self.relation == PARAMETER_RELATION:
            return None
        strongest = max(kind, EXPRESSION) if self.fields else kind
        return Use(self.relation, self.name, strongest, self.start, self.is_qualifier)

    def program(self) -> Program:
        """Return its type program."""
        program: Program = ("column", self.relation, self.name)
        for field in self.fields:
            program = ("field", program, field)
        return program


Locate = Callable[[exp.Column], Located]
Subquery = Callable[[exp.Expr], int]  # the relation of a query inside an expression


class UseCollector:
    """Collects the uses of one expression after another; remembers what was not row by row, and what may be wrong."""

    def __init__(self, locate: Locate, subquery: Subquery, windows: dict[str, exp.Expr]) -> None:
        self.locate = locate
        self.subquery = subquery
        self.windows = windows
        self.is_row_local = True
        self.may_aggregate = False
        self.may_be_misplaced = False  # an aggregate or window function, where Spark refuses it

    def collect(self, expression: exp.Expr) -> tuple[Use, ...]:
        """Return the uses of one expression; each column once, with its strongest kind."""
        only = expression.args["this"] if type(expression) is exp.Alias else expression
        if type(only) is exp.Column and type(only.args["this"]) is not exp.Star:
            use = self.locate(only).use(DIRECT)
            return (use,) if use is not None else ()
        found: dict[tuple[int, str], Use] = {}
        stack: list[tuple[exp.Expr, int]] = [(expression, DIRECT)]
        while stack:
            node, kind = stack.pop()
            if type(node) is exp.Column:
                use = self.locate(node).use(kind)
            else:
                role = _ROLES.get(type(node)) or _role(type(node))
                if role.is_plain:
                    _push(node, max(kind, role.least_kind), stack)
                    continue
                use = self._visit(node, kind, role=role, stack=stack)
            if use is None:
                continue
            known = found.get((use.relation, use.name))
            if known is None or known.kind < use.kind:
                found[(use.relation, use.name)] = use
        if len(found) < 2:
            return tuple(found.values())
        return tuple(sorted(found.values(), key=lambda use: (use.start, use.relation, use.name)))

    def _visit(self, node: exp.Expr, kind: int, *, role: "_Role", stack: list[tuple[exp.Expr, int]]) -> Use | None:
        if role.is_query:
            return Use(self.subquery(node), "", max(kind, EXPRESSION), _start_of(node))
        if role.is_star:
            return self._star(node)
        if role.is_window:
            self._window(node, max(kind, EXPRESSION), stack)
            return None
        if role.is_ordered_set:  # the columns to combine come after the function
            stack.extend(((node.this, kind), (node.args["expression"], AGGREGATION)))
            return None
        self.is_row_local = False
        self.may_aggregate = True
        if kind == AGGREGATION or role.needs_window:
            self.may_be_misplaced = True
        _push(node, max(kind, role.least_kind), stack)
        return None

    def _star(self, node: exp.Expr) -> Use | None:
        """`count(*)` reads no column; any other function of a star reads all."""
        if isinstance(node.parent, exp.Count):
            return None
        return self.locate(exp.Column(this=node)).use(EXPRESSION)

    def _window(self, node: exp.Expr, kind: int, stack: list[tuple[exp.Expr, int]]) -> None:
        self.is_row_local = False
        name = node.args.get("alias")
        if name is not None and node.text("alias").lower() in self.windows:
            stack.append((self.windows[node.text("alias").lower()], EXPRESSION))
        function = node.this
        is_aggregate = isinstance(function, exp.AggFunc) and not isinstance(function, _ROW_PICKING)
        if kind == AGGREGATION or (name is None and not is_aggregate and node.args.get("order") is None):
            self.may_be_misplaced = True
        for key, value in node.args.items():
            inside = AGGREGATION if key == "this" and is_aggregate else kind
            for item in value if isinstance(value, list) else (value,):
                if isinstance(item, exp.Expr) and type(item) is not exp.Identifier:
                    if item is function and (is_aggregate or isinstance(item, _ROW_PICKING)):
                        _push(item, inside, stack)  # over a window it makes no groups
                    else:
                        stack.append((item, inside))


class _Role(NamedTuple):
    """What a class of nodes means for the columns inside it."""

    least_kind: int  # of a use inside
    is_plain: bool  # none of the following
    is_query: bool
    is_star: bool
    is_window: bool
    is_ordered_set: bool
    makes_or_folds_rows: bool
    needs_window: bool


_ROLES: dict[type[exp.Expr], _Role] = {}


def _role(kind: type[exp.Expr]) -> _Role:
    """Return the role of a class, found once for each: asking every node what it is would cost most of the walk."""
    is_aggregate = issubclass(kind, exp.AggFunc)
    least = EXPRESSION
    if issubclass(kind, _SAME_ROW):
        least = DIRECT
    elif issubclass(kind, _CASTS):
        least = CAST
    elif is_aggregate:
        least = AGGREGATION
    special = {
        "is_query": issubclass(kind, exp.Query),
        "is_star": kind is exp.Star,
        "is_window": issubclass(kind, exp.Window),
        "is_ordered_set": kind is exp.WithinGroup,
        "makes_or_folds_rows": is_aggregate or issubclass(kind, (exp.UDTF, *ONLY_OVER_WINDOWS)),
        "needs_window": issubclass(kind, ONLY_OVER_WINDOWS),
    }
    found = _ROLES[kind] = _Role(least_kind=least, is_plain=not any(special.values()), **special)
    return found


def _push(node: exp.Expr, kind: int, stack: list[tuple[exp.Expr, int]]) -> None:
    for value in node.args.values():
        if isinstance(value, exp.Expr):
            if type(value) not in _LEAVES:
                stack.append((value, kind))
        elif isinstance(value, list):
            stack.extend([(item, kind) for item in value if isinstance(item, exp.Expr) and type(item) not in _LEAVES])


def _start_of(node: exp.Expr) -> int:
    for item in node.find_all(exp.Identifier):
        start = item.meta.get("start")
        if isinstance(start, int):
            return start
    return 0
