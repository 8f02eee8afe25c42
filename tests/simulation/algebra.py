"""Queries of simulated models: a small algebra with two meanings, rows in memory and Spark SQL text."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from lamina.values.interval import MAX, MIN, Interval

Cell = int | str | datetime | None
Row = tuple[Cell, ...]
DAY = timedelta(days=1)

# Every simulated column has its type by name, so that both meanings agree on schemas.
TYPES = {"id": "bigint", "ts": "timestamp", "day": "timestamp", "key": "string", "status": "string"}
TYPES |= {"valid_from": "timestamp", "valid_to": "timestamp"}


@dataclass(frozen=True)
class Relation:
    """Named columns and a bag of rows."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def place(self, column: str) -> int:
        """Return where a column is in each row."""
        return self.columns.index(column)


@dataclass(frozen=True)
class Read:
    """Rows of a table; with `by`, those whose time is in the slice, or `back` days before or `ahead` days after it."""

    table: str
    columns: tuple[str, ...]
    by: str | None = None
    back: int = 0
    ahead: int = 0


@dataclass(frozen=True)
class Keep:
    """Rows whose column compares with a constant."""

    child: "Expression"
    column: str
    operator: Literal["=", "<>", ">", "<"]
    value: int | str


@dataclass(frozen=True)
class Pick:
    """Some columns, renamed, each as it is, cut to its day, or with a number added."""

    child: "Expression"
    columns: tuple[tuple[str, str, Literal["same", "day"] | int], ...]  # name, from, how


@dataclass(frozen=True)
class Join:
    """Pairs of rows that agree in the `on` columns, which appear once."""

    left: "Expression"
    right: "Expression"
    on: tuple[str, ...]


Total = tuple[str, Literal["sum", "count", "max"], str]  # name, how, of which column


@dataclass(frozen=True)
class Group:
    """One row for each key, with totals."""

    child: "Expression"
    keys: tuple[str, ...]
    totals: tuple[Total, ...]


@dataclass(frozen=True)
class Spread:
    """Each row again on the days `first` to `last` after its own, or before it, where these lie in the slice."""

    child: "Expression"
    column: str
    first: int
    last: int


@dataclass(frozen=True)
class Union:
    """The rows of both."""

    left: "Expression"
    right: "Expression"


@dataclass(frozen=True)
class Sound:
    """Rows whose amount is within all limits; each limit has the name of the check that sorts the others out."""

    child: "Expression"
    limits: tuple[tuple[str, int], ...]


Expression = Read | Keep | Pick | Join | Group | Spread | Union | Sound


def unsorted(expression: Expression) -> Expression:
    """Return a query with the rows that checks sort out."""
    return expression.child if isinstance(expression, Sound) else expression


def with_table(expression: "Expression", before: str, now: str) -> "Expression":
    """Return a query that reads a table under another name."""
    if isinstance(expression, Read):
        return replace(expression, table=now) if expression.table == before else expression
    parts: dict[str, Any] = {part.name: getattr(expression, part.name) for part in fields(expression)}
    kinds = (Read, Keep, Pick, Join, Group, Spread, Union, Sound)
    inner = {name: with_table(part, before, now) for name, part in parts.items() if isinstance(part, kinds)}
    return type(expression)(**{**parts, **inner})


def columns_of(expression: Expression) -> tuple[str, ...]:
    """Return the names of the columns an expression gives."""
    match expression:
        case Read():
            return expression.columns
        case Pick():
            return tuple(name for name, _, _ in expression.columns)
        case Group():
            return (*expression.keys, *(name for name, _, _ in expression.totals))
        case Join():
            right = (name for name in columns_of(expression.right) if name not in expression.on)
            return (*columns_of(expression.left), *right)
        case Union():
            return columns_of(expression.left)
        case Keep() | Spread() | Sound():
            return columns_of(expression.child)


def reads_of(expression: Expression) -> tuple[Read, ...]:
    """Return every read of a table."""
    match expression:
        case Read():
            return (expression,)
        case Join() | Union():
            return (*reads_of(expression.left), *reads_of(expression.right))
        case _:
            return reads_of(expression.child)


def type_of(column: str) -> str:
    """Return the Spark type of a simulated column."""
    return TYPES.get(column, "bigint")


def evaluate(expression: Expression, read: Callable[[Read], Relation], span: Interval) -> Relation:
    """Return the rows of an expression; `read` gives whole tables, which are cut to the span here."""
    match expression:
        case Read():
            return _read(expression, read(expression), span)
        case Keep():
            return _keep(expression, evaluate(expression.child, read, span))
        case Sound():
            return _sound(expression, evaluate(expression.child, read, span))
        case Pick():
            return _pick(expression, evaluate(expression.child, read, span))
        case Join():
            return _join(expression, evaluate(expression.left, read, span), evaluate(expression.right, read, span))
        case Group():
            return _group(expression, evaluate(expression.child, read, span))
        case Spread():
            return _spread(expression, evaluate(expression.child, read, span), span)
        case Union():
            left, right = evaluate(expression.left, read, span), evaluate(expression.right, read, span)
            return Relation(left.columns, left.rows + right.rows)


def _read(expression: Read, table: Relation, span: Interval) -> Relation:
    places = [table.place(name) for name in expression.columns]
    rows = table.rows
    if expression.by is not None:
        at, wide = table.place(expression.by), _reached(expression, span)
        cells = ((row, row[at]) for row in rows)
        rows = tuple(row for row, cell in cells if isinstance(cell, datetime) and wide.start <= cell < wide.end)
    return Relation(expression.columns, tuple(tuple(row[place] for place in places) for row in rows))


def _reached(expression: Read, span: Interval) -> Interval:
    """Return the times that a slice reads."""
    back, ahead = expression.back * DAY, expression.ahead * DAY
    return Interval(max(span.start, MIN + back) - back, min(span.end, MAX - ahead) + ahead)


def _keep(expression: Keep, child: Relation) -> Relation:
    at, wanted = child.place(expression.column), expression.value

    def is_kept(cell: Cell) -> bool:
        if cell is None:
            return False
        match expression.operator:
            case "=":
                return cell == wanted
            case "<>":
                return cell != wanted
            case ">":
                return isinstance(cell, int) and isinstance(wanted, int) and cell > wanted
            case "<":
                return isinstance(cell, int) and isinstance(wanted, int) and cell < wanted

    return Relation(child.columns, tuple(row for row in child.rows if is_kept(row[at])))


def _sound(expression: Sound, child: Relation) -> Relation:
    return Relation(child.columns, tuple(row for row in child.rows if not broken_limits(expression, child, row)))


def broken_limits(expression: Sound, child: Relation, row: Row) -> tuple[str, ...]:
    """Return the names of the limits that a row is above."""
    cell = row[child.place("amount")]
    return tuple(name for name, most in expression.limits if isinstance(cell, int) and cell > most)


def _pick(expression: Pick, child: Relation) -> Relation:
    def pick(row: Row, source: str, how: Literal["same", "day"] | int) -> Cell:
        cell = row[child.place(source)]
        if cell is None or how == "same":
            return cell
        if isinstance(cell, datetime):
            return cell.replace(hour=0, minute=0, second=0, microsecond=0)
        return int(cell) + int(how)

    rows = tuple(tuple(pick(row, source, how) for _, source, how in expression.columns) for row in child.rows)
    return Relation(columns_of(expression), rows)


def _join(expression: Join, left: Relation, right: Relation) -> Relation:
    left_places = [left.place(name) for name in expression.on]
    right_places = [right.place(name) for name in expression.on]
    rest = [place for place, name in enumerate(right.columns) if name not in expression.on]
    partners: dict[Row, list[Row]] = {}
    for row in right.rows:
        key = tuple(row[place] for place in right_places)
        if None not in key:
            partners.setdefault(key, []).append(tuple(row[place] for place in rest))
    rows = tuple(
        row + partner for row in left.rows for partner in partners.get(tuple(row[place] for place in left_places), ())
    )
    return Relation(columns_of(expression), rows)


def _group(expression: Group, child: Relation) -> Relation:
    places = [child.place(name) for name in expression.keys]
    groups: dict[Row, list[Row]] = {}
    for row in child.rows:
        groups.setdefault(tuple(row[place] for place in places), []).append(row)

    def total(rows: list[Row], function: str, column: str) -> int | None:
        cells = [int(cell) for row in rows if isinstance(cell := row[child.place(column)], int)]
        if function == "count":
            return len(rows)
        return None if not cells else sum(cells) if function == "sum" else max(cells)

    rows = tuple(
        (*key, *(total(members, function, column) for _, function, column in expression.totals))
        for key, members in groups.items()
    )
    return Relation(columns_of(expression), rows)


def _spread(expression: Spread, child: Relation, span: Interval) -> Relation:
    at = child.place(expression.column)
    rows = []
    for row in child.rows:
        cell = row[at]
        if not isinstance(cell, datetime):
            continue
        for step in range(expression.first, expression.last + 1):
            moved = cell + step * DAY
            if span.start <= moved < span.end:
                rows.append((*row[:at], moved, *row[at + 1 :]))
    return Relation(child.columns, tuple(rows))


def to_sql(expression: Expression) -> str:
    """Return the Spark SQL text of an expression, with `@start_date` and `@end_date` for the slice."""
    match expression:
        case Read():
            text = f"SELECT {', '.join(expression.columns)} FROM {expression.table}"
            if expression.by is None:
                return text
            start = f"@start_date - INTERVAL {expression.back} DAYS" if expression.back else "@start_date"
            end = f"@end_date + INTERVAL {expression.ahead} DAYS" if expression.ahead else "@end_date"
            return f"{text} WHERE {expression.by} >= {start} AND {expression.by} < {end}"
        case Keep():
            value = f"'{expression.value}'" if isinstance(expression.value, str) else str(expression.value)
            return f"{_select_from('*', expression.child)} WHERE {expression.column} {expression.operator} {value}"
        case Pick():
            return _select_from(", ".join(_picked(*column) for column in expression.columns), expression.child)
        case Join():
            names = ", ".join(columns_of(expression))
            return (
                f"SELECT {names} FROM ({to_sql(expression.left)}) AS l"
                f" JOIN ({to_sql(expression.right)}) AS r USING ({', '.join(expression.on)})"
            )
        case Group():
            totals = (
                f"{'COUNT(*)' if how == 'count' else f'{how.upper()}({column})'} AS {name}"
                for name, how, column in expression.totals
            )
            keys = ", ".join(expression.keys)
            return f"{_select_from(', '.join((*expression.keys, *totals)), expression.child)} GROUP BY {keys}"
        case Spread():
            return _spread_sql(expression)
        case Sound():
            return to_sql(expression.child)
        case Union():
            return f"{to_sql(expression.left)} UNION ALL {to_sql(expression.right)}"


def _select_from(columns: str, child: Expression) -> str:
    return f"SELECT {columns} FROM ({to_sql(child)}) AS t"


def _picked(name: str, source: str, how: Literal["same", "day"] | int) -> str:
    if how == "same":
        return f"{source} AS {name}"
    return f"DATE_TRUNC('DAY', {source}) AS {name}" if how == "day" else f"{source} + {how} AS {name}"


def _spread_sql(expression: Spread) -> str:
    column = expression.column
    names = columns_of(expression)
    moved = ", ".join(f"{name} + MAKE_INTERVAL(0, 0, 0, step) AS {name}" if name == column else name for name in names)
    steps = f"EXPLODE(SEQUENCE({expression.first}, {expression.last})) AS step"
    inner = f"SELECT *, {steps} FROM ({to_sql(expression.child)}) AS t"
    return (
        f"SELECT * FROM (SELECT {moved} FROM ({inner}) AS s) AS m"
        f" WHERE {column} >= @start_date AND {column} < @end_date"
    )
