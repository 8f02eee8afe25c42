"""An order-free checksum of rows: a count and two salted 64-bit hashes of each row, summed by halves.

The values of a row are hashed one by one, each once, and a set of columns hashes those hashes together: only what is
hashed together before it is summed shows which values were in one row. Spark's hash passes over nulls, reads a decimal
without its scale and takes -0.0 for 0.0: so a null is a value of its own here, columns of other types are never
compared, and the sign of zero is hashed beside it. Nested values cannot be hashed soundly: arrays of another shape
collide.
"""

from collections.abc import Iterable

from lamina.values.schema import Column, DataType
from lamina.warehouse.sql import quote

SALTS = (1, 2)
_LOW_HALF = 0xFFFFFFFF

_SIMPLE = ("tinyint", "smallint", "int", "bigint", "boolean", "string", "binary", "date", "timestamp", "timestamp_ntz")


def is_hashable(kind: DataType) -> bool:
    """Return whether equal hashes of this type mean equal values."""
    return kind in (*_SIMPLE, "float", "double") or kind.startswith("decimal(")


def value_hashes(column: Column) -> tuple[str, ...]:
    """Return the hashes of one value, one for each salt; that of a null is the salt's own."""
    name = quote(column.name)
    # The text of a float would say it all, but costs more than everything else here: only zeros are asked for it.
    sign = f", if({name} = 0, CAST({name} AS STRING) = '-0.0', false)" if column.type in ("float", "double") else ""
    return tuple(f"xxhash64({salt}, {name}{sign})" for salt in SALTS)


def row_hash(values: Iterable[str]) -> str:
    """Return one hash of several values of a row, given their hashes."""
    return f"xxhash64({', '.join(values)})"


def sums_of(hashed: str, sign: str) -> tuple[str, ...]:
    """Return the sums of a hash over rows, each row added or taken away by its sign; halves do not overflow."""
    halves = (f"({hashed} & {_LOW_HALF})", f"shiftrightunsigned({hashed}, 32)")
    return tuple(f"sum({sign} * {half})" for half in halves)
