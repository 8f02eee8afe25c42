"""An order-free checksum of rows: a count and two salted 64-bit hashes, summed by halves.

Spark's hash passes over nulls, reads a decimal without its scale and takes -0.0 for 0.0, so the nulls, the types and
the sign of zero are hashed beside the values. Nested values cannot be hashed soundly: arrays of another shape collide.
"""

from lamina.values.names import folded
from lamina.values.schema import DataType, Schema
from lamina.warehouse.sql import quote, text

_SALTS = (1, 2)
_LOW_HALF = 0xFFFFFFFF

_SIMPLE = ("tinyint", "smallint", "int", "bigint", "boolean", "string", "binary", "date", "timestamp", "timestamp_ntz")


def is_hashable(kind: DataType) -> bool:
    """Return whether equal hashes of this type mean equal values."""
    return kind in (*_SIMPLE, "float", "double") or kind.startswith("decimal(")


def checksum(columns: Schema) -> tuple[str, ...]:
    """Return the aggregates whose equality means that two bags of rows are equal in these columns."""
    ordered = sorted(columns, key=lambda column: folded(column.name))
    types = ",".join(f"{folded(column.name)} {column.type}" for column in ordered)
    nulls = ", ".join(f"isnull({quote(column.name)})" for column in ordered)
    values = ", ".join(_value(column.name, column.type) for column in ordered)
    hashes = [f"xxhash64({salt}, {text(types)}, {nulls}, {values})" if ordered else "0" for salt in _SALTS]
    halves = [
        part for hashed in hashes for part in (f"sum({hashed} & {_LOW_HALF})", f"sum(shiftrightunsigned({hashed}, 32))")
    ]
    return ("count(1)", *halves)


def _value(name: str, kind: DataType) -> str:
    return f"CAST({quote(name)} AS STRING)" if kind in ("float", "double") else quote(name)
