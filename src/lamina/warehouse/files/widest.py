"""The type that holds every value of two types exactly, as Spark reads files of both; no such type means no reading."""

from functools import lru_cache

from lamina.compiler.types.spark_types import (
    INTEGRAL_DIGITS,
    MOST_DIGITS,
    decimal_of,
    element_of,
    entry_of,
    fields_of,
    is_decimal,
)
from lamina.values.names import folded
from lamina.values.schema import DataType

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_EXACT_IN_DOUBLE = ("tinyint", "smallint", "int", "float", "double")
# Spark's reader gives an integer of a file these many digits beside a decimal, however small its type is.
_LEAST_DIGITS = INTEGRAL_DIGITS["int"]


@lru_cache(maxsize=4096)
def widest(left: DataType, right: DataType) -> DataType | None:
    """Return the type that both can be read as without loss, or None.

    >>> widest(DataType("int"), DataType("bigint"))
    'bigint'
    >>> widest(DataType("int"), DataType("string")) is None
    True
    """
    if right in (left, "void"):
        return left
    if left == "void":
        return right
    if left in _INTEGERS and right in _INTEGERS:
        return max(left, right, key=_INTEGERS.index)
    if left in _EXACT_IN_DOUBLE and right in _EXACT_IN_DOUBLE:
        return DataType("double")
    if is_decimal(left) or is_decimal(right):
        return _widest_decimal(left, right)
    return _widest_nested(left, right)


def _widest_decimal(left: DataType, right: DataType) -> DataType | None:
    one, other = decimal_of(left), decimal_of(right)
    if one is None or other is None:
        return None
    scale = max(one.scale, other.scale)
    digits = max(one.precision - one.scale, other.precision - other.scale)
    whole = digits if is_decimal(left) and is_decimal(right) else max(digits, _LEAST_DIGITS)
    return DataType(f"decimal({whole + scale},{scale})") if whole + scale <= MOST_DIGITS else None


def _widest_nested(left: DataType, right: DataType) -> DataType | None:
    elements = element_of(left), element_of(right)
    if elements[0] is not None and elements[1] is not None:
        element = widest(elements[0], elements[1])
        return None if element is None else DataType(f"array<{element}>")
    one, other = entry_of(left), entry_of(right)
    if one is not None and other is not None:
        key, value = widest(one[0], other[0]), widest(one[1], other[1])
        return None if key is None or value is None else DataType(f"map<{key},{value}>")
    return _widest_struct(left, right)


def _widest_struct(left: DataType, right: DataType) -> DataType | None:
    """Return the struct of all fields of two; a file without one of them gives null."""
    one, other = fields_of(left), fields_of(right)
    if one is None or other is None:
        return None
    found: dict[str, tuple[str, DataType]] = {folded(name): (name, kind) for name, kind in one}
    for name, kind in other:
        known = found.get(folded(name))
        both = kind if known is None else widest(known[1], kind)
        if both is None:
            return None
        found[folded(name)] = (known[0] if known is not None else name, both)
    return DataType(f"struct<{','.join(f'{name}:{kind}' for name, kind in found.values())}>")
