"""Two frames compared: by a key in one pass over both, or as bags of whole rows; whatever the number of columns."""

from typing import TYPE_CHECKING, Any

from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType, Schema
from lamina.values.table_diff import ColumnsDiff, ExampleRow, TableDiff
from lamina.values.words import listed
from lamina.warehouse.spark.column_pairs import Pair, key_pairs, match_columns
from lamina.warehouse.spark.query import json_cell

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SIDE, _LEFT, _RIGHT = "lamina_side", "lamina_left", "lamina_right"


def diff_tables(left: "DataFrame", right: "DataFrame", *, table: str, keys: tuple[str, ...], limit: int) -> TableDiff:
    """Compare two frames by their keys; where a key is not unique, or there is none, as bags of rows."""
    columns, pairs, not_compared = match_columns(_schema(left), _schema(right))
    chosen = key_pairs(pairs, keys, columns)
    both = _both(left, right, pairs)
    found = _by_key(both, pairs, chosen, limit=limit) if chosen else _as_bags(both, pairs, limit=limit)
    if found is None:
        note = f"{listed(keys)} is not unique, so whole rows were compared"
        found = _as_bags(both, pairs, limit=limit).replace(notes=(note,))
    is_equal = columns == ColumnsDiff() and not (found.only_left or found.only_right or found.rows_changed)
    return found.replace(
        table=table,
        status="equal" if is_equal else "different",
        columns=columns,
        not_compared=not_compared,
    )


def _both(left: "DataFrame", right: "DataFrame", pairs: tuple[Pair, ...]) -> "DataFrame":
    """Put both sides below each other, under the same names; Spark takes the wider of two types."""
    first = left.selectExpr(*(f"{pair.of(pair.left)} AS {pair.name}" for pair in pairs), f"0 AS {_SIDE}")
    return first.unionAll(
        right.selectExpr(*(f"{pair.of(pair.right)} AS {pair.name}" for pair in pairs), f"1 AS {_SIDE}")
    )


def _by_key(both: "DataFrame", pairs: tuple[Pair, ...], keys: tuple[Pair, ...], *, limit: int) -> TableDiff | None:
    """Match rows by key, nulls being equal, in one pass; None where a key has several rows on one side."""
    from pyspark.sql import functions

    values = tuple(pair for pair in pairs if pair not in keys)
    sides = [
        functions.expr(f"any_value({pair.name}) FILTER (WHERE {_SIDE} = {side})").alias(f"{pair.name}_{side}")
        for pair in values
        for side in (0, 1)
    ]
    matched = both.groupBy(*(pair.name for pair in keys)).agg(
        functions.expr(f"count_if({_SIDE} = 0)").alias(_LEFT),
        functions.expr(f"count_if({_SIDE} = 1)").alias(_RIGHT),
        *sides,
    )
    differs = {pair: f"NOT ({pair.name}_0 <=> {pair.name}_1)" for pair in values}
    is_pair, is_changed = f"{_LEFT} = 1 AND {_RIGHT} = 1", " OR ".join(differs.values()) or "false"
    (totals,) = matched.selectExpr(
        f"count_if({_LEFT} > 1 OR {_RIGHT} > 1)",
        *(f"coalesce(sum({side}), 0)" for side in (_LEFT, _RIGHT)),
        f"count_if({_RIGHT} = 0)",
        f"count_if({_LEFT} = 0)",
        f"count_if({is_pair} AND ({is_changed}))",
        *(f"count_if({is_pair} AND {condition})" for condition in differs.values()),
    ).collect()
    repeated, rows_left, rows_right, only_left, only_right, changed, *by_column = totals
    if repeated:
        return None
    counts = {pair.left: count for pair, count in zip(values, by_column, strict=True) if count}
    found = TableDiff(
        table="",
        status="equal",
        rows_left=rows_left,
        rows_right=rows_right,
        only_left=only_left,
        only_right=only_right,
        rows_changed=changed,
        changed=counts,
        key=tuple(pair.left for pair in keys),
    )
    if not (only_left or only_right or changed) or not limit:
        return found
    order = [pair.name for pair in keys]
    parts = [
        matched.where(condition).orderBy(*order).limit(limit)
        for condition in (f"{is_pair} AND ({is_changed})", f"{_RIGHT} = 0", f"{_LEFT} = 0")
    ]
    rows = _collected(parts[0].unionAll(parts[1]).unionAll(parts[2]))
    return found.replace(examples=tuple(_matched_example(row, keys, values) for row in rows))


def _matched_example(row: dict[str, Any], keys: tuple[Pair, ...], values: tuple[Pair, ...]) -> ExampleRow:
    key = {pair.left: row[pair.name] for pair in keys}
    before, after = ({pair.left: row[f"{pair.name}_{side}"] for pair in values} for side in (0, 1))
    if not row[_RIGHT]:
        return ExampleRow(kind="only_left", key=key, left=before)
    if not row[_LEFT]:
        return ExampleRow(kind="only_right", key=key, right=after)
    names = [name for name in before if before[name] != after[name]]
    return ExampleRow(
        kind="changed",
        key=key,
        left={name: before[name] for name in names},
        right={name: after[name] for name in names},
    )


def _as_bags(both: "DataFrame", pairs: tuple[Pair, ...], *, limit: int) -> TableDiff:
    """Count equal rows on each side."""
    from pyspark.sql import functions

    names = [pair.name for pair in pairs]
    rows = both.groupBy(*names).agg(
        functions.expr(f"count_if({_SIDE} = 0)").alias(_LEFT), functions.expr(f"count_if({_SIDE} = 1)").alias(_RIGHT)
    )
    (totals,) = rows.selectExpr(
        *(f"coalesce(sum({side}), 0)" for side in (_LEFT, _RIGHT)),
        f"coalesce(sum(greatest({_LEFT} - {_RIGHT}, 0)), 0)",
        f"coalesce(sum(greatest({_RIGHT} - {_LEFT}, 0)), 0)",
    ).collect()
    rows_left, rows_right, only_left, only_right = totals
    found = TableDiff(
        table="",
        status="equal",
        rows_left=rows_left,
        rows_right=rows_right,
        only_left=only_left,
        only_right=only_right,
    )
    if not (only_left or only_right) or not limit:
        return found
    parts = [
        (rows.where(condition).orderBy(*names) if names else rows.where(condition)).limit(limit)
        for condition in (f"{_LEFT} > {_RIGHT}", f"{_LEFT} < {_RIGHT}")
    ]
    shown = _collected(parts[0].unionAll(parts[1]))
    return found.replace(examples=tuple(_bag_example(row, pairs) for row in shown))


def _bag_example(row: dict[str, Any], pairs: tuple[Pair, ...]) -> ExampleRow:
    values = {pair.left: row[pair.name] for pair in pairs}
    more = row[_LEFT] - row[_RIGHT]
    if more > 0:
        return ExampleRow(kind="only_left", left=values, count=more)
    return ExampleRow(kind="only_right", right=values, count=-more)


def _collected(frame: "DataFrame") -> list[dict[str, Any]]:
    """Return rows by column, their values as JSON can hold them."""
    kinds = [field.dataType for field in frame.schema]
    return [
        {name: json_cell(value, kind) for name, value, kind in zip(frame.columns, row, kinds, strict=True)}
        for row in frame.collect()
    ]


def _schema(frame: "DataFrame") -> Schema:
    return tuple(Column(ColumnName(field.name), DataType(field.dataType.simpleString())) for field in frame.schema)
