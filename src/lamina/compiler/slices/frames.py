"""Read window functions: how far each reaches before its row, and after it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlglot import exp

from lamina.compiler.query.operators import OrderTerm, Window
from lamina.compiler.slices.terms import interval_span, place, term_of
from lamina.compiler.types.functions.names import called_name

Node = Any

BACKWARD = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Lag)
BOTH_WAYS = (exp.Lead, exp.Ntile, exp.PercentRank, exp.CumeDist)
TIE_SAFE = (exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist)
BY_POSITION = (
    exp.RowNumber,
    exp.Lag,
    exp.Lead,
    exp.Ntile,
    exp.First,
    exp.Last,
    exp.FirstValue,
    exp.LastValue,
    exp.NthValue,
)


class WindowParts(NamedTuple):
    """A window function and the clauses it is over, as nodes."""

    function: Node
    partition: list[Node]
    order: Node | None
    spec: Node | None

    @property
    def is_numbering(self) -> bool:
        """Return whether its value depends on the order among ties."""
        is_rows = self.spec is not None and str(self.spec.args.get("kind", "")).lower() == "rows"
        return isinstance(self.function, BY_POSITION) or (is_rows and not isinstance(self.function, TIE_SAFE))


def window_parts(node: Node, named: Mapping[str, Node]) -> WindowParts:
    """Take one OVER clause apart, with the named windows of its SELECT."""
    function = node.this
    while isinstance(function, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        function = function.this
    parent = named.get(node.alias.lower()) if node.args.get("alias") else None
    partition = _given("partition_by", node, parent) or []
    return WindowParts(function, partition, _given("order", node, parent), _given("spec", node, parent))


def window_of(node: Node, named: Mapping[str, Node]) -> Window:
    """Read one OVER clause, with the named windows of its SELECT."""
    parts = window_parts(node, named)
    order = order_terms(parts.order)
    back, ahead = _reach(parts.function, parts.spec, is_ordered=bool(order))
    return Window(
        function=called_name(parts.function),
        partition=tuple(term_of(item) for item in parts.partition),
        order=order,
        back=back,
        ahead=ahead,
        is_numbering=parts.is_numbering,
        at=place(node),
    )


def ordered_by(order: Node | None) -> list[Node]:
    """Return the expressions of an ORDER BY."""
    found = order.expressions if order is not None else ()
    return [item.this if isinstance(item, exp.Ordered) else item for item in found]


def order_terms(order: Node | None) -> tuple[OrderTerm, ...]:
    """Read an ORDER BY."""
    is_descending = [bool(item.args.get("desc")) for item in order.expressions] if order is not None else []
    return tuple(
        OrderTerm(term=term_of(key), is_descending=descends)
        for key, descends in zip(ordered_by(order), is_descending, strict=True)
    )


def _given(key: str, node: Node, parent: Node | None) -> Any:
    return node.args.get(key) or (parent.args.get(key) if parent is not None else None)


def _reach(function: Node, spec: Node | None, *, is_ordered: bool) -> tuple[int | None, int | None]:
    if not is_ordered or isinstance(function, BOTH_WAYS):
        return None, None
    if isinstance(function, BACKWARD) or spec is None:
        return None, 0
    return _side(spec, "start", outwards="PRECEDING"), _side(spec, "end", outwards="FOLLOWING")


def _side(spec: Node, side: str, *, outwards: str) -> int | None:
    """Return how far one side of a frame reaches; one that lies beyond the row in the other direction adds nothing."""
    bound = spec.args.get(side) or "CURRENT ROW"
    if bound == "CURRENT ROW" or str(spec.args.get(f"{side}_side", "")).upper() != outwards:
        return 0
    if isinstance(bound, str) or str(spec.args.get("kind", "")).lower() != "range":
        return None
    span = interval_span(bound)
    return span[1] if span else None
