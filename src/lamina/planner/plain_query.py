"""Queries so plain that every reader gives the same answer: columns of one table, simple comparisons, a count."""

import re
from typing import Any

from lamina.values.names import ColumnName
from lamina.values.rows_asked import Comparison, RowsAsked
from lamina.values.schema import Schema

_ALLOWED = {"expressions", "from_", "where", "limit", "kind"}
_OPERATORS = {
    "EQ": "equal",
    "NEQ": "not_equal",
    "LT": "less",
    "LTE": "less_equal",
    "GT": "greater",
    "GTE": "greater_equal",
}
_INTEGERS = {"int": 2**31, "bigint": 2**63}
_DAY = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])", re.ASCII)


def plain_query(sql: str, columns: Schema) -> RowsAsked | None:
    """Return what a query over one table asks for, or None where it is not surely understood as Spark does.

    >>> plain_query("SELECT count(*) AS n FROM t", ())
    RowsAsked(columns=None, where=(), order_by=None, most=None, count_as='n')
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        statements = sqlglot.parse(sql, dialect="spark")
    except SqlglotError:
        return None
    query = statements[0] if len(statements) == 1 else None
    if not isinstance(query, exp.Select) or any(value for key, value in query.args.items() if key not in _ALLOWED):
        return None
    if query.args.get("kind") or not _is_bare_table(query.args.get("from_")):
        return None
    types = {column.name: str(column.type) for column in columns}
    where = _comparisons(query.args["where"].this, types) if query.args.get("where") else ()
    most = _limit(query.args.get("limit"))
    if where is None or most == -1:
        return None
    asked = RowsAsked(where=where, most=most)
    items = query.expressions
    if len(items) == 1 and type(items[0]) is exp.Star and not any(items[0].args.values()):
        return asked
    if len(items) == 1 and _is_count(items[0].unalias()):
        name = items[0].alias if isinstance(items[0], exp.Alias) else "count(1)"
        return asked.replace(count_as=name)
    named = tuple(_named(item, types) for item in items)
    listed = tuple(item for item in named if item is not None)
    return asked.replace(columns=listed) if len(listed) == len(named) else None


def _is_bare_table(source: Any) -> bool:
    from sqlglot import exp

    table = source.this if source is not None else None
    return isinstance(table, exp.Table) and not any(
        value for key, value in table.args.items() if key not in ("this", "db", "catalog")
    )


def _named(item: Any, types: dict[ColumnName, str]) -> tuple[ColumnName, str] | None:
    from sqlglot import exp

    name = _column(item.this if isinstance(item, exp.Alias) else item, types)
    return None if name is None else (name, item.alias if isinstance(item, exp.Alias) else str(name))


def _column(item: Any, types: dict[ColumnName, str]) -> ColumnName | None:
    """Return the column an expression is, written exactly as the table has it."""
    from sqlglot import exp

    if type(item) is not exp.Column or item.table or ColumnName(item.name) not in types:
        return None
    return ColumnName(item.name)


def _is_count(item: Any) -> bool:
    from sqlglot import exp

    return type(item) is exp.Count and type(item.this) is exp.Star and not item.expressions


def _limit(limit: Any) -> int | None:
    """Return the number of a LIMIT, None without one, -1 where it is not a plain number."""
    if limit is None:
        return None
    from sqlglot import exp

    number = limit.expression if isinstance(limit, exp.Limit) else None
    return int(number.this) if type(number) is exp.Literal and number.is_int else -1


def _comparisons(condition: Any, types: dict[ColumnName, str]) -> tuple[Comparison, ...] | None:
    from sqlglot import exp

    if type(condition) is exp.Paren:
        return _comparisons(condition.this, types)
    if type(condition) is exp.And:
        left, right = _comparisons(condition.left, types), _comparisons(condition.right, types)
        return None if left is None or right is None else (*left, *right)
    found = _null_test(condition, types) or _comparison(condition, types)
    return None if found is None else (found,)


def _null_test(condition: Any, types: dict[ColumnName, str]) -> Comparison | None:
    from sqlglot import exp

    is_negated = type(condition) is exp.Not
    test = condition.this if is_negated else condition
    if type(test) is not exp.Is or type(test.expression) is not exp.Null:
        return None
    name = _column(test.this, types)
    return None if name is None else Comparison(column=name, operator="is_valid" if is_negated else "is_null")


def _comparison(condition: Any, types: dict[ColumnName, str]) -> Comparison | None:
    operator = _OPERATORS.get(type(condition).__name__)
    name = _column(condition.left, types) if operator is not None else None
    if operator is None or name is None:
        return None
    value = _constant(condition.right, types[name])
    return None if value is None else Comparison(column=name, operator=operator, value=value)


def _constant(item: Any, kind: str) -> Any:
    """Return a constant that compares with a column of a type without any rounding or zone; None if it may not."""
    from datetime import date

    from sqlglot import exp

    sign = -1 if type(item) is exp.Neg else 1
    literal = item.this if sign < 0 else item
    if kind in _INTEGERS and type(literal) is exp.Literal and literal.is_int:
        number = sign * int(literal.this)
        return number if -_INTEGERS["int"] <= number < _INTEGERS[kind] else None
    if type(item) is exp.Cast and kind == "date" and item.is_type("date") and type(item.this) is exp.Literal:
        item = item.this
    if type(item) is not exp.Literal or not item.is_string:
        return None
    if kind == "string":
        return item.this
    if kind == "date" and _DAY.fullmatch(item.this):
        try:
            return date.fromisoformat(item.this)
        except ValueError:
            return None
    return None
