"""Types of `+ - * / % div` and of comparisons, as Spark's analyzer infers them in ANSI mode."""

from lamina.compiler.types.coercion import can_cast_to_null, common_type, is_null_after_cast
from lamina.compiler.types.spark_types import (
    DAY_UNITS,
    FRACTIONALS,
    INTEGRAL_DIGITS,
    INTEGRALS,
    LEAST_SCALE,
    UNTYPED,
    YEAR_UNITS,
    Decimal,
    Typed,
    adjusted_decimal,
    decimal_of,
    decimal_type,
    interval_units,
    is_decimal,
    is_interval,
    is_numeric,
)
from lamina.values.schema import UNKNOWN, DataType

_MOMENTS = ("timestamp", "timestamp_ntz", "date")


def arithmetic(sign: str, left: Typed, right: Typed) -> Typed:
    """Return the type of one arithmetic operation."""
    if UNKNOWN in (left.type, right.type):
        return UNTYPED
    if is_numeric(left.type) and is_numeric(right.type):
        return _numbers(sign, left, right)
    if "void" in (left.type, right.type):
        return _with_null(sign, left, right)
    if "string" in (left.type, right.type):
        return _with_string(sign, left.type, right.type)
    found = _times(sign, left.type, right.type)
    if found is None:
        return UNTYPED
    return Typed(found, left.nullable or right.nullable or sign == "div" or _is_time_lost(left.type, right.type))


def _numbers(sign: str, left: Typed, right: Typed) -> Typed:
    nullable = left.nullable or right.nullable
    if sign == "div":
        return Typed(DataType("bigint"), nullable=True)
    if not (is_decimal(left.type) or is_decimal(right.type)):
        kind = DataType("double") if sign == "/" else common_type(left.type, right.type)
        return Typed(kind or UNKNOWN, nullable or sign in "/%")
    if left.type in FRACTIONALS or right.type in FRACTIONALS:
        return Typed(DataType("double"), nullable or sign in "/%")
    one, other = _decimal_operand(left, right), _decimal_operand(right, left)
    lost = _is_lost(left, one) or _is_lost(right, other)
    return Typed(_decimal_result(sign, one, other), nullable or lost or sign in "/%")


def _decimal_operand(value: Typed, beside: Typed) -> Decimal:
    """Return a number as a decimal; an integral literal beside a decimal has just the digits it is written with."""
    if value.literal is not None and value.type in INTEGRAL_DIGITS and is_decimal(beside.type):
        return Decimal(len(value.literal.lstrip("-0")) or 1, 0)
    return decimal_of(value.type) or Decimal(38, 18)


def _is_lost(value: Typed, operand: Decimal) -> bool:
    # Spark does not look at the literal when it asks whether the cast can fail, so `price + 1` can be null to it.
    return can_cast_to_null(value.type, decimal_type(*operand))


def _decimal_result(sign: str, one: Decimal, other: Decimal) -> DataType:
    whole, other_whole = one.precision - one.scale, other.precision - other.scale
    scale = max(one.scale, other.scale)
    match sign:
        case "*":
            return adjusted_decimal(one.precision + other.precision + 1, one.scale + other.scale)
        case "/":
            scale = max(LEAST_SCALE, one.scale + other.precision + 1)
            return adjusted_decimal(whole + other.scale + scale, scale)
        case "%":
            return adjusted_decimal(min(whole, other_whole) + scale, scale)
        case _:
            return adjusted_decimal(max(whole, other_whole) + scale + 1, scale)


def _with_string(sign: str, left: DataType, right: DataType) -> Typed:
    """A string beside a number or a time is cast to its kind, which can fail; two strings are refused by Spark."""
    other = right if left == "string" else left
    if is_numeric(other):
        is_whole = other in INTEGRALS and sign != "/"
        return Typed(DataType("bigint" if is_whole or sign == "div" else "double"), nullable=True)
    if other in _MOMENTS and sign == "-":
        return Typed(_times(sign, other, other) or UNKNOWN, nullable=True)
    is_days = is_interval(other) and interval_units(other)[0] in DAY_UNITS
    if is_days and (sign == "+" or (sign == "-" and left == "string")):
        return Typed(DataType("string"), nullable=True)
    return UNTYPED


def _with_null(sign: str, left: Typed, right: Typed) -> Typed:
    other = right if left.type == "void" else left
    if not is_numeric(other.type):
        return UNTYPED
    if sign == "/" and left.type == "void":  # a null is divided as a double, whatever it is divided by
        return Typed(DataType("double"), nullable=True)
    null = Typed(other.type, nullable=True)
    return _numbers(sign, null if left.type == "void" else left, null if right.type == "void" else right)


def _times(sign: str, left: DataType, right: DataType) -> DataType | None:
    """Return the type of arithmetic over dates, timestamps and intervals, or None if there is no such operation."""
    if sign == "-" and left in _MOMENTS and right in _MOMENTS:
        return DataType("interval day" if (left, right) == ("date", "date") else "interval day to second")
    if sign in "+-" and left in _MOMENTS:
        return _moved(left, right)
    if sign == "+" and right in _MOMENTS:
        return _moved(right, left)
    if sign in "+-" and is_interval(left) and is_interval(right):
        return common_type(left, right)
    if sign in ("*", "/") and is_interval(left) and is_numeric(right):
        return _whole_interval(left)
    if sign == "*" and is_numeric(left) and is_interval(right):
        return _whole_interval(right)
    return DataType("bigint") if sign == "div" and is_interval(left) and is_interval(right) else None


def _is_time_lost(left: DataType, right: DataType) -> bool:
    """Return whether the cast that makes two moments alike can give null."""
    if left not in _MOMENTS or right not in _MOMENTS or left == right:
        return False
    target = common_type(left, right) or UNKNOWN
    return can_cast_to_null(left, target) or can_cast_to_null(right, target)


def _moved(moment: DataType, by: DataType) -> DataType | None:
    if moment == "date" and by in ("tinyint", "smallint", "int"):
        return moment
    if not is_interval(by):
        return None
    is_days = interval_units(by)[0] in YEAR_UNITS or interval_units(by) == ("day", "day")
    return moment if is_days or moment != "date" else DataType("timestamp")


def _whole_interval(kind: DataType) -> DataType:
    is_day = interval_units(kind)[0] in DAY_UNITS
    return DataType("interval day to second" if is_day else "interval year to month")


def compare(left: Typed, right: Typed) -> bool:
    """Return whether a comparison can be null: a side is, or the cast that makes both sides alike can be."""
    if left.nullable or right.nullable:
        return True
    if left.type == right.type:
        return False
    for value, other in ((left, right), (right, left)):
        if value.literal is not None and value.type in INTEGRAL_DIGITS and is_decimal(other.type):
            return _is_lost(value, _decimal_operand(value, other))
    target = common_type(left.type, right.type)
    if target is None or target == UNKNOWN:
        return True
    return is_null_after_cast(left, target) or is_null_after_cast(right, target)
