"""Functions over numbers."""

from lamina.compiler.types.coercion import common_type
from lamina.compiler.types.functions.rule import Arguments, Rule, always, cast_to, if_any_or_text, never, same, table
from lamina.compiler.types.spark_types import (
    FRACTIONALS,
    INTEGRALS,
    MOST_DIGITS,
    Decimal,
    decimal_of,
    decimal_type,
    is_decimal,
    is_interval,
    is_numeric,
)
from lamina.values.schema import DataType

# The decimals that Spark turns floating point numbers into when it needs digits.
_FLOATING = {"float": Decimal(14, 7), "double": Decimal(30, 15)}


def _signed(arguments: Arguments) -> DataType | None:
    kind = arguments[0].type
    if kind in ("string", "void"):
        return DataType("double")
    return kind if is_numeric(kind) or is_interval(kind) else None


def _rounded(arguments: Arguments) -> DataType | None:
    kind = arguments[0].type
    if not is_decimal(kind):
        return DataType("double") if kind in ("string", "void") else (kind if is_numeric(kind) else None)
    return _with_places(decimal_of(kind), arguments)


def _whole(arguments: Arguments) -> DataType | None:
    """`ceil` and `floor`: a whole number, or a decimal where places are requested."""
    kind = arguments[0].type
    size = decimal_of(kind) if is_decimal(kind) else None
    if len(arguments) > 1:
        return _with_places(_FLOATING.get(kind) or decimal_of(kind), arguments)
    if size is not None:
        return kind if size.scale == 0 else decimal_type(size.precision - size.scale + 1, 0)
    is_whole = kind in INTEGRALS or kind in FRACTIONALS or kind in ("string", "void")
    return DataType("bigint") if is_whole else None


def _with_places(size: Decimal | None, arguments: Arguments) -> DataType | None:
    places = _places(arguments)
    if size is None or places is None:
        return None
    whole = size.precision - size.scale + 1
    if places < 0:
        return decimal_type(max(whole, 1 - places), 0)
    scale = min(size.scale, places)
    return DataType(f"decimal({min(whole + scale, MOST_DIGITS)},{scale})")


def _places(arguments: Arguments) -> int | None:
    if len(arguments) == 1:
        return 0
    text = arguments[1].literal
    return int(text) if text is not None and arguments[1].type in INTEGRALS else None


def _bitwise(arguments: Arguments) -> DataType | None:
    found = common_type(arguments[0].type, arguments[1].type)
    return found if found in INTEGRALS else None


def _integral(arguments: Arguments) -> DataType | None:
    kind = arguments[0].type
    if kind == "bigint":
        return kind
    return DataType("int") if kind in INTEGRALS else None


def _floating(arguments: Arguments) -> DataType | None:
    kinds = {item.type for item in arguments}
    return DataType("float" if kinds == {"float"} else "double")


def _uniform(arguments: Arguments) -> DataType | None:
    found = common_type(arguments[0].type, arguments[1].type)
    return found if found in INTEGRALS else None


NUMBERS: dict[str, Rule] = {
    **table(_signed, if_any_or_text, "abs negative positive"),
    **table(_rounded, always, "round bround"),
    **table(_whole, always, "ceil floor"),
    **table(
        "double",
        always,
        "rint sqrt cbrt exp expm1 ln log log10 log2 log1p sign signum sin cos tan cot sec csc asin acos atan"
        " sinh cosh tanh asinh acosh atanh degrees radians",
    ),
    **table("double", cast_to("double"), "power atan2 hypot"),
    **table("double", never, "pi e rand randn"),
    **table("bigint", always, "factorial width_bucket"),
    **table(_bitwise, if_any_or_text, "bitwise_and bitwise_or bitwise_xor"),
    **table(same, if_any_or_text, "bitwise_not"),
    **table(_integral, if_any_or_text, "shiftleft shiftright shiftrightunsigned"),
    **table("int", if_any_or_text, "bit_count"),
    **table("tinyint", if_any_or_text, "bit_get getbit"),
    **table(_floating, cast_to("double"), "nanvl"),
    **table(_uniform, never, "uniform"),
    **table("bigint", never, "monotonically_increasing_id"),
    **table("int", never, "spark_partition_id"),
}
