"""Functions that choose between their arguments, and tests that are never null."""

from lamina.compiler.types.arithmetic import arithmetic
from lamina.compiler.types.coercion import common_type_of, is_null_after_cast, widen
from lamina.compiler.types.functions.rule import Arguments, Rule, always, if_any, never, same, table
from lamina.compiler.types.spark_types import UNTYPED, Typed
from lamina.values.schema import UNKNOWN, DataType


def _first_present(arguments: Arguments) -> Typed:
    target = common_type_of([item.type for item in arguments])
    if target is None or target == UNKNOWN:
        return UNTYPED
    return Typed(target, all(is_null_after_cast(item, target) for item in arguments))


def _zero_if_null(arguments: Arguments) -> Typed:
    return _first_present((arguments[0], Typed(DataType("int"), nullable=False)))


def _decode(arguments: Arguments) -> Typed:
    """`decode(value, key, result, ..., default)` is a CASE; with two arguments it turns bytes into text."""
    if len(arguments) == 2:
        return Typed(DataType("string"), nullable=True)
    results = list(arguments[2::2])
    if len(arguments) % 2 == 0:
        return widen([*results, arguments[-1]])
    found = widen(results)
    return Typed(found.type, nullable=True)


def _safe(sign: str) -> Rule:
    def rule(arguments: Arguments) -> Typed:
        return Typed(arithmetic(sign, arguments[0], arguments[1]).type, nullable=True)

    return rule


def _remainder(arguments: Arguments) -> Typed:
    return arithmetic("%", arguments[0], arguments[1])


def _integral_division(arguments: Arguments) -> Typed:
    return arithmetic("div", arguments[0], arguments[1])


CONDITIONS: dict[str, Rule] = {
    **dict.fromkeys(("coalesce", "ifnull", "nvl", "greatest", "least"), _first_present),
    "zeroifnull": _zero_if_null,
    "decode": _decode,
    **table(same, always, "nullif nullifzero"),
    **table("boolean", never, "isnull isnotnull isnan equal_null"),
    **table("boolean", if_any, "like ilike rlike regexp regexp_like"),
    **table("boolean", always, "like_any"),
    "mod": _remainder,
    "pmod": _remainder,
    "div": _integral_division,
    "try_add": _safe("+"),
    "try_subtract": _safe("-"),
    "try_multiply": _safe("*"),
    "try_divide": _safe("/"),
    "try_mod": _safe("%"),
}
