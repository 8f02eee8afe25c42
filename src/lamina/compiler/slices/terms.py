"""Read expressions of a query as time terms: a column or a bound of the range, truncated and shifted."""

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from lamina.compiler.query.conjuncts import conjuncts
from lamina.compiler.query.nodes import own_nodes
from lamina.compiler.query.operators import NOWHERE, At, Bound, Comparator, Comparison, Condition, Term
from lamina.compiler.slices.units import DAY, LENGTHS, TRUNCATIONS, UNBOUNDED, coarsen

Node = Any

BOUNDS: dict[str, Bound] = {"start_date": "start", "start_ts": "start", "end_date": "end", "end_ts": "end"}
COMPARATORS: dict[Any, Comparator] = {
    exp.GTE: ">=",
    exp.GT: ">",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.EQ: "=",
    exp.NullSafeEQ: "=",
}
WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")
INSTANT_TYPES = frozenset({exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPNTZ, exp.DType.TIMESTAMPLTZ})

NEVER_TERMS = frozenset({exp.Case, exp.Coalesce, exp.Literal, exp.Lower, exp.Sum, exp.Upper, exp.Window})
"""The most frequent nodes that are no term, distinguished without asking for each kind that is one."""


def position(node: Node) -> At | None:
    """Return where the first token of a node is that kept its position."""
    if type(node) is exp.Identifier and node._meta:
        return _start(node)
    if type(node) is exp.Alias:
        return position(node.args["this"]) or position(node.args["alias"])
    if type(node) is exp.Column and node.args.get("db") is None:
        first = node.args.get("table") or node.args["this"]
        if first._meta and "line" in first._meta:
            return _start(first)
    return min([_start(item) for item in node.walk() if item._meta and "line" in item._meta], default=None)


def place(node: Node) -> At:
    """Return where a node is, or where the nearest thing around it is."""
    while node is not None:
        at = position(node)
        if at:
            return at
        node = node.parent
    return NOWHERE


def _start(node: Node) -> At:
    meta = node._meta
    return meta["line"], max(1, meta["col"] - (meta["end"] - meta["start"]))


def parameter_name(node: Node) -> str:
    """Return the name behind an `@`."""
    return str(node.name).lower()


def term_of(node: Node) -> Term | None:
    """Return the time term an expression is, if it is one."""
    if type(node) in NEVER_TERMS:
        return None
    match node:
        case exp.Column():
            return _column(node)
        case exp.Paren():
            return term_of(node.this)
        case exp.Parameter():
            name = parameter_name(node)
            bound = BOUNDS.get(name)
            return Term(bound=bound, at=place(node), written=name) if bound else None
        case exp.Cast():
            return _cast(node)
        case exp.TsOrDsToDate() if not node.args.get("format"):
            return _truncated(term_of(node.this), "day")
        case exp.TimestampTrunc() | exp.DateTrunc():
            return _truncated(term_of(node.this), TRUNCATIONS.get(node.args["unit"].name.lower()))
        case exp.TsOrDsAdd() | exp.TimestampAdd() | exp.AddMonths():
            return _added(node)
        case exp.Add() | exp.Sub():
            return _sum(node)
        case exp.AtTimeZone():  # `from_utc_timestamp`
            return _on_clock(node.this, node.args["zone"])
        case exp.ConvertTimezone() if _is_from_utc(node.args.get("source_tz")):
            return _on_clock(node.args["timestamp"], node.args["target_tz"])
        case _:
            return None


def _column(node: Node) -> Term | None:
    args = node.args
    this, qualifier, schema = args["this"], args.get("table"), args.get("db")
    if args.get("catalog") or type(this) is exp.Star:
        return None
    relation = qualifier.name.lower() if qualifier is not None else ""
    if schema is not None:
        relation = f"{schema.name.lower()}.{relation}"
    return Term(relation=relation, column=this.name.lower(), at=_start(this) if this._meta else NOWHERE)


def _cast(node: Node) -> Term | None:
    kind = node.args["to"].this
    if kind == exp.DType.DATE:
        return _truncated(term_of(node.this), "day")
    return term_of(node.this) if kind in INSTANT_TYPES else None


def _truncated(term: Term | None, unit: str | None) -> Term | None:
    if term is None or unit is None:
        return None
    if term.low != term.high or term.low % DAY or (term.low and unit != "day"):
        return None  # only whole days commute with a truncation to the day
    coarse = coarsen(term.unit, unit)
    return term.replace(unit=coarse) if coarse else None


def _added(node: Node) -> Term | None:
    """Return the term of a function that adds a time; `date_add` and `add_months` cut to the day first."""
    if isinstance(node, exp.TimestampAdd):
        return _shifted(term_of(node.this), _span(node.expression, _unit(node, "")))
    unit = "month" if isinstance(node, exp.AddMonths) else _unit(node, "day")
    return _shifted(_truncated(term_of(node.this), "day"), _span(node.expression, unit))


def _is_from_utc(zone: Node | None) -> bool:
    """Return whether a time is taken from UTC, the zone of every session."""
    return zone is None or (isinstance(zone, exp.Literal) and zone.this == "UTC")


def _on_clock(value: Node, zone: Node) -> Term | None:
    """Return the term of a column put on the clock of a zone."""
    term = term_of(value)
    if term is None or not isinstance(zone, exp.Literal) or not zone.is_string:
        return None
    if zone.this == "UTC":
        return term
    # The clock of a zone does not commute with cuts and shifts in UTC, nor with another clock.
    is_plain = not (term.bound or term.zone or term.low or term.high) and term.unit == "instant"
    return term.replace(zone=str(zone.this)) if is_plain else None


def _sum(node: Node) -> Term | None:
    left, right = node.this, node.expression
    if isinstance(node, exp.Add) and isinstance(left, exp.Interval):
        left, right = right, left
    span = _interval(right) if isinstance(right, exp.Interval) else _span(right, "day")
    if span and isinstance(node, exp.Sub):
        span = (-span[1], -span[0])
    return _shifted(term_of(left), span)


def _shifted(term: Term | None, span: tuple[int, int] | None) -> Term | None:
    if term is None or span is None:
        return None
    moved = _within_limits((term.low + span[0], term.high + span[1]))
    return term.replace(low=moved[0], high=moved[1]) if moved else None


def interval_span(node: Node) -> tuple[int, int] | None:
    """Return the shortest and longest length of an INTERVAL or a number of days, in microseconds."""
    return _interval(node) if isinstance(node, exp.Interval) else _span(node, "day")


def _interval(node: Node) -> tuple[int, int] | None:
    unit = node.args.get("unit")
    if not isinstance(unit, exp.Var) or node.this is None:
        return None
    return _span(node.this, unit.name.lower())


def _unit(node: Node, default: str) -> str:
    unit = node.args.get("unit")
    return unit.name.lower() if unit is not None else default


def _span(count: Node, unit: str) -> tuple[int, int] | None:
    number = _integer(count)
    lengths = LENGTHS.get(unit) or LENGTHS.get(unit.removesuffix("s"))
    if number is None or lengths is None:
        return None
    ends = (number * lengths[0], number * lengths[1])
    return _within_limits((min(ends), max(ends)))


def _within_limits(span: tuple[int, int]) -> tuple[int, int] | None:
    return span if span[0] > -UNBOUNDED and span[1] < UNBOUNDED else None


def _integer(node: Node) -> int | None:
    match node:
        case exp.Neg():
            number = _integer(node.this)
            return None if number is None else -number
        case exp.Mul():
            left, right = _integer(node.this), _integer(node.expression)
            return None if left is None or right is None else left * right
        case exp.Literal():
            text = str(node.this).strip()
            return int(text) if WHOLE_NUMBER.fullmatch(text) else None
        case _:
            return None


def bounds_in(node: Node) -> tuple[At, ...]:
    """Return where an expression mentions a bound of the range, its subqueries left out."""
    return tuple(place(item) for item in own_nodes(node) if isinstance(item, exp.Parameter) and is_bound(item))


def is_bound(node: Node) -> bool:
    """Return whether a parameter is a bound of the range."""
    return parameter_name(node) in BOUNDS


def condition_of(node: Node | None) -> Condition:
    """Read a WHERE or ON expression conjunct by conjunct."""
    comparisons: list[Comparison] = []
    loose: list[At] = []
    unread: list[Term] = []
    for conjunct in conjuncts(node) if node is not None else ():
        found = _comparisons(conjunct)
        comparisons.extend(found)
        if not found:
            loose.extend(bounds_in(conjunct))
            unread.extend(_mentioned(conjunct))
    return Condition(comparisons=tuple(comparisons), loose_bounds=tuple(loose), unread=tuple(unread))


def _mentioned(node: Node) -> Iterator[Term]:
    for item in own_nodes(node):
        if type(item) is exp.Column:
            yield _column(item) or Term()
        elif isinstance(item, exp.Query):
            yield Term(at=place(item))


def _comparisons(node: Node) -> tuple[Comparison, ...]:
    if isinstance(node, exp.Between):
        terms = [term_of(node.this), term_of(node.args["low"]), term_of(node.args["high"])]
        if node.args.get("symmetric") or not all(terms):
            return ()
        value, low, high = (term for term in terms if term)
        return (
            Comparison(left=value, comparator=">=", right=low, is_between=True),
            Comparison(left=value, comparator="<=", right=high, is_between=True),
        )
    comparator = COMPARATORS.get(type(node))
    if comparator is None:
        return ()
    left, right = term_of(node.this), term_of(node.expression)
    return (Comparison(left=left, comparator=comparator, right=right),) if left and right else ()
