"""Spark's ANSI coercion: the common type of several values, and the casts that can turn a value into null."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from lamina.compiler.types.spark_types import (
    FRACTIONALS,
    INTEGRALS,
    MOST_DIGITS,
    UNTYPED,
    Typed,
    array_of,
    decimal_of,
    element_of,
    entry_of,
    fields_of,
    interval_between,
    interval_units,
    is_decimal,
    is_interval,
    is_numeric,
    map_of,
    struct_of,
)
from lamina.values.names import same_name
from lamina.values.schema import UNKNOWN, DataType

_MOMENTS = ("date", "timestamp_ntz", "timestamp")
_PRECEDENCE = (*INTEGRALS, *FRACTIONALS)
_UNPROMOTED = ("interval", "array<", "map<", "struct<", "variant")


@lru_cache(maxsize=8192)
def common_type(left: DataType, right: DataType) -> DataType | None:
    """Return the type both sides of a CASE, COALESCE, UNION or comparison are cast to, or None if there is none."""
    if right in (left, "void"):
        return left
    if left == "void":
        return right
    if UNKNOWN in (left, right):
        return UNKNOWN
    if is_numeric(left) and is_numeric(right):
        return _common_number(left, right)
    if "string" in (left, right):
        return _common_with_string(left if right == "string" else right)
    if left in _MOMENTS and right in _MOMENTS:
        return max(left, right, key=_MOMENTS.index)
    if is_interval(left) and is_interval(right):
        return _common_interval(left, right)
    return _common_nested(left, right)


def _common_number(left: DataType, right: DataType) -> DataType:
    if not is_decimal(left) and not is_decimal(right):
        wider = max(left, right, key=_PRECEDENCE.index)
        # A float beside an integral type becomes double, because a float would lose digits.
        return DataType("double" if wider == "float" else wider)
    one, other = decimal_of(left), decimal_of(right)
    if one is None or other is None:
        return DataType("double")
    scale = max(one.scale, other.scale)
    whole = max(one.precision - one.scale, other.precision - other.scale)
    if whole + scale <= MOST_DIGITS:
        return DataType(f"decimal({whole + scale},{scale})")
    return DataType(f"decimal({MOST_DIGITS},{max(MOST_DIGITS - whole, 0)})")


def _common_with_string(other: DataType) -> DataType | None:
    if other in INTEGRALS:
        return DataType("bigint")
    if is_numeric(other):
        return DataType("double")
    return None if other.startswith(_UNPROMOTED) else other


def _common_interval(left: DataType, right: DataType) -> DataType | None:
    (first, last), (other_first, other_last) = interval_units(left), interval_units(right)
    start, end = interval_between(first, other_first), interval_between(last, other_last)
    if start is None or end is None:
        return None
    return interval_between(interval_units(start)[0], interval_units(end)[1])


def _common_nested(left: DataType, right: DataType) -> DataType | None:
    one, other = element_of(left), element_of(right)
    if one is not None and other is not None:
        element = common_type(one, other)
        return array_of(element) if element else None
    ours, theirs = entry_of(left), entry_of(right)
    if ours is not None and theirs is not None:
        key, value = common_type(ours[0], theirs[0]), common_type(ours[1], theirs[1])
        return map_of(key, value) if key and value else None
    return _common_struct(left, right)


def _common_struct(left: DataType, right: DataType) -> DataType | None:
    ours, theirs = fields_of(left), fields_of(right)
    if ours is None or theirs is None or len(ours) != len(theirs):
        return None
    found: list[tuple[str, str]] = []
    for (name, one), (other_name, other) in zip(ours, theirs, strict=True):
        kind = common_type(one, other)
        if kind is None or not same_name(name, other_name):
            return None
        found.append((name, kind))
    return struct_of(found)


def common_type_of(kinds: Iterable[DataType]) -> DataType | None:
    """Return the common type of any number of types; Spark folds from the left, and beside strings order matters."""
    found: DataType | None = DataType("void")
    for kind in kinds:
        if found is None:
            return None
        found = common_type(found, kind)
    return found


@lru_cache(maxsize=8192)
def can_cast_to_null(source: DataType, target: DataType) -> bool:
    """Return whether Spark's analyzer takes a cast of a value that is not null to be null at times."""
    if source in (target, "void") or target == "string":
        return False
    if source == "string":
        return target != "binary"
    if source == "timestamp" and target in ("tinyint", "smallint", "int"):
        return True
    if source in FRACTIONALS and target == "timestamp":
        return True
    if target == "date":
        return source != "timestamp"
    if (source, target) == ("date", "timestamp_ntz"):
        return True
    if is_decimal(target):
        return not _fits(source, target)
    return target in INTEGRALS and (source in FRACTIONALS or is_decimal(source))


def _fits(source: DataType, target: DataType) -> bool:
    room = decimal_of(target)
    need = decimal_of("tinyint" if source == "boolean" else source)
    if room is None or need is None:
        return False
    if source == "boolean":
        return room.precision > room.scale
    spare = (room.precision - room.scale) - (need.precision - need.scale)
    return spare > 0 or (spare == 0 and room.scale >= need.scale)


def can_try_cast_to_null(source: DataType, target: DataType) -> bool:
    """Return whether TRY_CAST can give null: always, but where the target holds every value of the source."""
    if target in (source, "string"):
        return False
    if source in ("date", "timestamp", "timestamp_ntz"):
        return target not in ("timestamp", "timestamp_ntz")
    if source in _PRECEDENCE and target in _PRECEDENCE:
        return _PRECEDENCE.index(source) > _PRECEDENCE.index(target)
    is_number = source in INTEGRALS or is_decimal(source)
    return not (is_number and is_decimal(target) and not can_cast_to_null(source, target))


def is_null_after_cast(value: Typed, target: DataType) -> bool:
    """Return whether a value can be null once it is cast."""
    return value.nullable or can_cast_to_null(value.type, target)


def widen(values: Sequence[Typed]) -> Typed:
    """Return what the branches of a set operation or a CASE become together."""
    first = values[0].type
    if all(item.type == first for item in values):
        return Typed(first, any(item.nullable for item in values))
    target = common_type_of([item.type for item in values])
    if target is None or target == UNKNOWN:
        return UNTYPED
    return Typed(target, any(is_null_after_cast(item, target) for item in values))
