"""A table against a recompute over pinned inputs, as bags of rows: what `verify` shows."""

from typing import TYPE_CHECKING

from lamina.strategies.traits import Traits
from lamina.values.names import folded, folded_names
from lamina.values.schema import Schema
from lamina.values.value import Value
from lamina.warehouse.port import Comparison
from lamina.warehouse.sql import quote, quote_all, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SHOWN = 5
_EXPECTED = "lamina__expected"
_ACTUAL = "lamina__actual"
_KEPT = "lamina__kept"
_TIME = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"


class Columns(Value, frozen=True):
    """Which columns are compared; with keys, only rows of keys that the recompute has."""

    compared: Schema
    keys: tuple[str, ...] = ()


def columns_to_compare(traits: Traits, table: Schema, *, is_one_batch: bool) -> Columns:
    """Return what a strategy promises about which columns; rows of one batch have the values that it inserted."""
    if traits.compared is None or is_one_batch:
        return Columns(compared=table, keys=traits.kept_by)
    names = folded_names(traits.compared)
    return Columns(compared=tuple(item for item in table if folded(item.name) in names), keys=traits.kept_by)


def compare_frames(expected: "DataFrame", actual: "DataFrame", columns: Columns) -> Comparison:
    """Count the rows of two frames that the other one lacks; both have the compared columns under the same names."""
    shown = [f"{comparable(quote(item.name), item.type)} AS {quote(item.name)}" for item in columns.compared]
    names = quote_all(column.name for column in columns.compared)
    counted = (
        expected.selectExpr(*shown, f"1 AS {_EXPECTED}", f"0 AS {_ACTUAL}")
        .unionAll(actual.selectExpr(*shown, f"0 AS {_EXPECTED}", f"1 AS {_ACTUAL}"))
        .groupBy(*(quote(column.name) for column in columns.compared))
        .agg({_EXPECTED: "sum", _ACTUAL: "sum"})
        .withColumnsRenamed({f"sum({_EXPECTED})": _EXPECTED, f"sum({_ACTUAL})": _ACTUAL})
    )
    judged = _judge(counted, columns)
    (totals,) = judged.selectExpr(
        f"coalesce(sum({_EXPECTED}), 0)",
        f"coalesce(sum({_ACTUAL}), 0)",
        f"coalesce(sum(greatest({_EXPECTED} - {_ACTUAL}, 0)), 0)",
        f"coalesce(sum(if({_KEPT}, 0, greatest({_ACTUAL} - {_EXPECTED}, 0))), 0)",
        f"coalesce(sum(if({_KEPT}, {_ACTUAL}, 0)), 0)",
    ).collect()
    different = judged.where(f"{_EXPECTED} <> {_ACTUAL} AND NOT {_KEPT}")
    return Comparison(
        rows_expected=totals[0],
        rows_actual=totals[1],
        missing=totals[2],
        extra=totals[3],
        retained=totals[4],
        examples=_examples(different, names) if totals[2] or totals[3] else (),
    )


def _judge(counted: "DataFrame", columns: Columns) -> "DataFrame":
    """Mark the rows that may stay although the recompute lacks them: those of keys it does not have."""
    from pyspark.sql import functions

    if not columns.keys:
        return counted.withColumn(_KEPT, functions.expr("false"))
    keys = quote_all(columns.keys)
    return counted.withColumn(_KEPT, functions.expr(f"sum({_EXPECTED}) OVER (PARTITION BY {keys}) = 0"))


def _examples(different: "DataFrame", names: str) -> tuple[str, ...]:
    rows = (
        different.selectExpr(f"{_EXPECTED} > {_ACTUAL} AS is_missing", f"{as_json(f'struct({names})')} AS row")
        .orderBy("row")
        .limit(_SHOWN)
        .collect()
    )
    return tuple(f"{'missing' if row['is_missing'] else 'extra'}: {row['row']}" for row in rows)


def comparable(value: str, kind: str) -> str:
    """Return a value in a form that can be grouped by: maps and variants as text, and what has a signed zero too."""
    if kind in ("float", "double"):
        return f"CAST({value} AS STRING)"
    is_text = any(part in kind for part in ("map<", "variant", "float", "double"))
    return as_json(value) if is_text else value


def as_json(value: str) -> str:
    """Return a value as JSON with its microseconds: by default it has milliseconds, and closer times would be equal."""
    return f"to_json({value}, map('timestampFormat', {text(_TIME + '[XXX]')}, 'timestampNTZFormat', {text(_TIME)}))"
