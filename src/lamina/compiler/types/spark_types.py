"""Spark's type system over its own type names: literals, decimals, intervals and nested types."""

from functools import lru_cache
from typing import NamedTuple

from lamina.values.schema import UNKNOWN, DataType
from lamina.values.value import Value


class Typed(Value, frozen=True):
    """The type of an expression and whether it can be null; `literal` is its text where Spark's rules look at it."""

    type: DataType
    nullable: bool
    literal: str | None = None


class Decimal(NamedTuple):
    """A decimal's precision and scale."""

    precision: int
    scale: int


UNTYPED = Typed(UNKNOWN, nullable=True)

INTEGRALS = ("tinyint", "smallint", "int", "bigint")
FRACTIONALS = ("float", "double")
# How many digits each integral type can have, as a decimal without scale.
INTEGRAL_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}

MOST_DIGITS = 38
LEAST_SCALE = 6  # what Spark keeps of a result's scale when its precision does not fit

LONGEST = 100_000  # a nested type that holds itself twice doubles with each query: a longer one stays unknown

YEAR_UNITS = ("year", "month")
DAY_UNITS = ("day", "hour", "minute", "second")


def is_decimal(kind: str) -> bool:
    """Return whether a type is a decimal."""
    return kind.startswith("decimal(")


def is_numeric(kind: str) -> bool:
    """Return whether a type is a number."""
    return kind in INTEGRAL_DIGITS or kind in FRACTIONALS or is_decimal(kind)


def is_interval(kind: str) -> bool:
    """Return whether a type is an ANSI interval."""
    return kind.startswith("interval ")


@lru_cache(maxsize=4096)
def decimal_of(kind: str) -> Decimal | None:
    """Return precision and scale of a decimal, or of the decimal an integral type becomes beside one."""
    if kind in INTEGRAL_DIGITS:
        return Decimal(INTEGRAL_DIGITS[kind], 0)
    if not is_decimal(kind):
        return None
    precision, scale = kind[8:-1].split(",")
    return Decimal(int(precision), int(scale))


def decimal_type(precision: int, scale: int) -> DataType:
    """Return a decimal cut at 38 digits, without regard to what is lost."""
    return DataType(f"decimal({min(precision, MOST_DIGITS)},{min(scale, MOST_DIGITS)})")


def adjusted_decimal(precision: int, scale: int) -> DataType:
    """Return the decimal of an arithmetic result: too many digits cost scale first, down to six."""
    if precision <= MOST_DIGITS:
        return DataType(f"decimal({precision},{scale})")
    kept = max(MOST_DIGITS - (precision - scale), min(scale, LEAST_SCALE))
    return DataType(f"decimal({MOST_DIGITS},{kept})")


def literal_type(text: str) -> DataType:
    """Return the type of a number as Spark reads it in SQL text."""
    if "e" in text or "E" in text:
        return DataType("double")
    whole, dot, fraction = text.partition(".")
    if dot:
        digits = (whole + fraction).lstrip("0")
        return decimal_type(max(len(digits), len(fraction), 1), len(fraction))
    digits = whole.lstrip("0") or "0"
    if len(digits) > 19 or int(digits) > 9223372036854775807:
        return decimal_type(len(digits), 0)
    return DataType("int" if int(digits) <= 2147483647 else "bigint")


@lru_cache(maxsize=4096)
def element_of(kind: str) -> DataType | None:
    """Return the element type of an array."""
    return DataType(kind[6:-1]) if kind.startswith("array<") else None


@lru_cache(maxsize=4096)
def entry_of(kind: str) -> tuple[DataType, DataType] | None:
    """Return key and value type of a map."""
    if not kind.startswith("map<"):
        return None
    key, value = _split(kind[4:-1])
    return DataType(key), DataType(value)


@lru_cache(maxsize=4096)
def fields_of(kind: str) -> tuple[tuple[str, DataType], ...] | None:
    """Return the fields of a struct in order."""
    if not kind.startswith("struct<"):
        return None
    parts = [part.partition(":") for part in _split(kind[7:-1])]
    return tuple((name, DataType(rest)) for name, _, rest in parts)


def array_of(element: str) -> DataType:
    """Return the type of an array of that element type."""
    return DataType(f"array<{element}>") if element != UNKNOWN else UNKNOWN


def map_of(key: str, value: str) -> DataType:
    """Return the type of a map of these key and value types."""
    if UNKNOWN in (key, value) or len(key) + len(value) > LONGEST:
        return UNKNOWN
    return DataType(f"map<{key},{value}>")


def struct_of(fields: list[tuple[str, str]]) -> DataType:
    """Return the type of a struct of these names and types."""
    if any(kind == UNKNOWN for _, kind in fields) or sum(len(kind) for _, kind in fields) > LONGEST:
        return UNKNOWN
    return DataType(f"struct<{','.join(f'{name}:{kind}' for name, kind in fields)}>")


def _split(text: str) -> list[str]:
    """Cut at the commas that are outside every bracket."""
    parts: list[str] = []
    depth = start = 0
    for at, sign in enumerate(text):
        if sign in "<(":
            depth += 1
        elif sign in ">)":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]] if text else []


def interval_between(first: str, last: str) -> DataType | None:
    """Return the interval type from one unit to another."""
    for units in (YEAR_UNITS, DAY_UNITS):
        if first in units and last in units:
            low, high = sorted((first, last), key=units.index)
            return DataType(f"interval {low}" if low == high else f"interval {low} to {high}")
    return None


def interval_units(kind: str) -> tuple[str, str]:
    """Return the first and the last unit of an interval type."""
    words = kind.removeprefix("interval ").split(" to ")
    return words[0], words[-1]
