"""Functions that take lambdas: the rule binds a lambda's parameters and reads the type of its body."""

from collections.abc import Callable

from lamina.compiler.types.functions.rule import Arguments
from lamina.compiler.types.spark_types import UNTYPED, Typed, array_of, element_of, entry_of, map_of
from lamina.values.schema import UNKNOWN, DataType

Body = Callable[..., Typed]
HigherOrderRule = Callable[[Arguments, list[Body]], Typed]

_INDEX = Typed(DataType("int"), nullable=False)


def _element(array: Typed) -> Typed:
    # An array's type name does not say whether its elements can be null; that they can is the sound answer.
    return Typed(element_of(array.type) or UNKNOWN, nullable=True)


def _entry(mapping: Typed) -> tuple[Typed, Typed]:
    key, value = entry_of(mapping.type) or (UNKNOWN, UNKNOWN)
    return Typed(key, nullable=False), Typed(value, nullable=True)


def _typed(kind: DataType, *, nullable: bool) -> Typed:
    return Typed(kind, nullable) if kind != UNKNOWN else UNTYPED


def _transform(arguments: Arguments, bodies: list[Body]) -> Typed:
    array = arguments[0]
    return _typed(array_of(bodies[0](_element(array), _INDEX).type), nullable=array.nullable)


def _kept(arguments: Arguments, _: list[Body]) -> Typed:
    return _typed(arguments[0].type, nullable=arguments[0].nullable)


def _tested(_arguments: Arguments, _bodies: list[Body]) -> Typed:
    return Typed(DataType("boolean"), nullable=True)


def _reduce(arguments: Arguments, bodies: list[Body]) -> Typed:
    array, start = arguments[0], arguments[1]
    total = Typed(start.type, nullable=True)
    merged = bodies[0](total, _element(array))
    if merged.type != start.type:
        return UNTYPED
    return _typed(bodies[1](total).type if len(bodies) > 1 else start.type, nullable=True)


def _zip(arguments: Arguments, bodies: list[Body]) -> Typed:
    left, right = arguments[0], arguments[1]
    found = bodies[0](_element(left), _element(right))
    return _typed(array_of(found.type), nullable=left.nullable or right.nullable)


def _transform_keys(arguments: Arguments, bodies: list[Body]) -> Typed:
    key, value = _entry(arguments[0])
    return _typed(map_of(bodies[0](key, value).type, value.type), nullable=arguments[0].nullable)


def _transform_values(arguments: Arguments, bodies: list[Body]) -> Typed:
    key, value = _entry(arguments[0])
    return _typed(map_of(key.type, bodies[0](key, value).type), nullable=arguments[0].nullable)


def _zip_maps(arguments: Arguments, bodies: list[Body]) -> Typed:
    left, right = arguments[0], arguments[1]
    (key, value), (_, other) = _entry(left), _entry(right)
    return _typed(map_of(key.type, bodies[0](key, value, other).type), nullable=left.nullable or right.nullable)


HIGHER_ORDER_RULES: dict[str, HigherOrderRule] = {
    "transform": _transform,
    "filter": _kept,
    "map_filter": _kept,
    "array_sort": _kept,
    "exists": _tested,
    "forall": _tested,
    "reduce": _reduce,
    "aggregate": _reduce,
    "zip_with": _zip,
    "transform_keys": _transform_keys,
    "transform_values": _transform_values,
    "map_zip_with": _zip_maps,
}
