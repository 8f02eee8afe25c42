"""What the parser's nodes spell: the types that casts and intervals name, and literals in disguise."""

import re

from sqlglot import exp

from lamina.compiler.types.spark_types import DAY_UNITS, YEAR_UNITS, interval_between
from lamina.values.schema import DataType, parse_type

_LITERAL_TYPES = ("DATE", "TIMESTAMPTZ", "TIMESTAMPNTZ", "TIMESTAMPLTZ")


def type_of_syntax(node: exp.Expr) -> DataType | None:
    """Return the type that a cast, an interval or a column definition names, or None if Spark has no such type."""
    if type(node) is exp.Interval:
        return _interval_type(node)
    if type(node) is not exp.DataType:
        return None
    kind = node.this
    if isinstance(kind, exp.Interval):
        return _interval_type(kind)
    simple = _SIMPLE_TYPES.get(kind.name)
    if simple is not None:
        return simple
    if kind.name == "DECIMAL":
        digits = ",".join([item.name for item in node.expressions])
        return parse_type(f"decimal({digits})" if digits else "decimal")
    if any(getattr(inner.this, "name", "") in _RENAMED for inner in node.find_all(exp.DataType)):
        return None
    return parse_type(node.sql(dialect="spark"))


# By the name of sqlglot's own enumeration; everything else is read from its Spark text.
_SIMPLE_TYPES = {
    name: DataType(kind)
    for name, kind in {
        "TINYINT": "tinyint",
        "SMALLINT": "smallint",
        "INT": "int",
        "BIGINT": "bigint",
        "FLOAT": "float",
        "DOUBLE": "double",
        "BOOLEAN": "boolean",
        "TEXT": "string",
        "VARCHAR": "string",
        "CHAR": "string",
        "BINARY": "binary",
        "DATE": "date",
        "TIMESTAMP": "timestamp",
        "TIMESTAMPTZ": "timestamp",
        "TIMESTAMPLTZ": "timestamp",
        "TIMESTAMPNTZ": "timestamp_ntz",
        "VARIANT": "variant",
        "NULL": "void",
    }.items()
}

# What the parser writes as `timestamp` for Spark, which has another type of that name or none.
_RENAMED = frozenset(("TIME", "TIMETZ", "DATETIME", "DATETIME2", "DATETIME64", "SMALLDATETIME"))

_UNIT_WORD = re.compile(r"[a-z]+")


def _interval_type(node: exp.Expr) -> DataType | None:
    unit = node.args.get("unit")
    if isinstance(unit, exp.IntervalSpan):
        return interval_between(_unit(unit.this.name), _unit(unit.expression.name))
    if unit is not None:
        return interval_between(_unit(unit.name), _unit(unit.name))
    words = [_unit(word) for word in _UNIT_WORD.findall(node.name.lower())] if node.this is not None else []
    known = [word for word in words if word]
    return interval_between(known[0], known[-1]) if known and len(known) == len(words) else None


def _unit(word: str) -> str:
    """Return the interval unit that Spark stores a written unit in, or an empty text."""
    single = word.lower().removesuffix("s")
    stored = {"week": "day", "millisecond": "second", "microsecond": "second"}.get(single, single)
    return stored if stored in YEAR_UNITS or stored in DAY_UNITS else ""


def key_of(node: exp.Expr) -> str | None:
    """Return the text between the brackets of `map['key']`: Spark calls a struct's field by it."""
    if type(node) is not exp.Bracket or len(node.expressions) != 1:
        return None
    key = node.expressions[0]
    return key.name if type(key) is exp.Literal and key.is_string else None


def is_typed_literal(cast: exp.Expr, literal: exp.Expr) -> bool:
    """Distinguish `100L` and `date '2024-01-01'`, which the parser reads as casts, from casts that were written."""
    if not literal.is_string:
        place = literal.meta
        return "start" in place and place["end"] - place["start"] + 1 > len(literal.this)
    return type(cast) is exp.Cast and not cast.meta and cast.args["to"].this.name in _LITERAL_TYPES
