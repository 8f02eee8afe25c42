"""Evaluate type programs against the schemas a query reads: what Spark's analyzer would say, or unknown."""

from collections.abc import Callable, Mapping
from typing import Any

from lamina.compiler.types.arithmetic import arithmetic, compare
from lamina.compiler.types.coercion import can_try_cast_to_null, is_null_after_cast, widen
from lamina.compiler.types.functions.catalogue import FUNCTIONS, HIGHER_ORDER
from lamina.compiler.types.functions.higher_order import Body
from lamina.compiler.types.functions.rule import Rule
from lamina.compiler.types.program_form import Program
from lamina.compiler.types.spark_types import (
    INTEGRALS,
    UNTYPED,
    Typed,
    array_of,
    element_of,
    entry_of,
    fields_of,
    struct_of,
)
from lamina.values.names import same_name
from lamina.values.schema import UNKNOWN, DataType

__all__ = ["Lookup", "Typed", "evaluate", "widen"]

Lookup = Callable[[int, str], Typed]
Variables = Mapping[str, Typed]

_BOOLEAN = DataType("boolean")
_TRUTH = Typed(_BOOLEAN, nullable=False)
_MAYBE = Typed(_BOOLEAN, nullable=True)


def evaluate(program: Program, lookup: Lookup) -> Typed:
    """Return the type of a program; `lookup` answers for a column of a relation."""
    if program[0] == "column":
        return lookup(program[1], program[2])
    return _evaluate(program, lookup, {})


def _evaluate(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    operation = program[0]
    if operation == "column":
        return lookup(program[1], program[2])
    return _OPERATIONS[operation](program, lookup, variables)


def _unknown(_program: Program, _lookup: Lookup, _variables: Variables) -> Typed:
    return UNTYPED


def _literal(program: Program, _lookup: Lookup, _variables: Variables) -> Typed:
    kind = program[1]
    return Typed(kind, kind == "void", program[2] if len(program) == 3 else None)


def _variable(program: Program, _lookup: Lookup, variables: Variables) -> Typed:
    return variables.get(program[1], UNTYPED)


def _cast(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    target = program[1]
    return Typed(target, is_null_after_cast(_evaluate(program[2], lookup, variables), target))


def _try_cast(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    target = program[1]
    child = _evaluate(program[2], lookup, variables)
    return Typed(target, child.nullable or can_try_cast_to_null(child.type, target))


def _arithmetic(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    left, right = _evaluate(program[2], lookup, variables), _evaluate(program[3], lookup, variables)
    return arithmetic(program[1], left, right)


def _boolean(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    for child in program[1:]:
        if _evaluate(child, lookup, variables).nullable:
            return _MAYBE
    return _TRUTH


def _compare(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    value = _evaluate(program[1], lookup, variables)
    for other in program[2:]:
        if compare(value, _evaluate(other, lookup, variables)):
            return _MAYBE
    return _TRUTH


def _in(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    found = widen([_evaluate(child, lookup, variables) for child in program[1:]])
    return _MAYBE if found.nullable else _TRUTH


def _case(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    results = [_evaluate(child, lookup, variables) for child in program[2:]]
    if program[1] is None:
        found = widen(results)
        return found if found.nullable else Typed(found.type, nullable=True)
    return widen([*results, _evaluate(program[1], lookup, variables)])


def _struct(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    values = [_evaluate(child, lookup, variables).type for child in program[2:]]
    kind = struct_of(list(zip(program[1], values, strict=True)))
    return Typed(kind, nullable=False) if kind != UNKNOWN else UNTYPED


def _arrays_zip(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    values = [_evaluate(child, lookup, variables) for child in program[2:]]
    elements = [element_of(value.type) or UNKNOWN for value in values]
    kind = array_of(struct_of(list(zip(program[1], elements, strict=True))))
    return Typed(kind, any(value.nullable for value in values)) if kind != UNKNOWN else UNTYPED


def _field(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    base, name = program[1], program[2]
    if base[0] == "struct":
        # Spark knows whether each field of a struct built in place can be null; its type name does not say it.
        for own, value in zip(base[1], base[2:], strict=True):
            if same_name(own, name):
                return _evaluate(value, lookup, variables)
        return UNTYPED
    child = _evaluate(base, lookup, variables)
    element = element_of(child.type)
    found = _field_type(element or child.type, name)
    if found is None:
        return UNTYPED
    return Typed(DataType(f"array<{found}>"), child.nullable) if element else Typed(found, nullable=True)


def _field_type(kind: str, name: str) -> DataType | None:
    for own, found in fields_of(kind) or ():
        if same_name(own, name):
            return found
    return None


def _item(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    base, index = program[1], program[2]
    child = _evaluate(base, lookup, variables)
    if base[0] == "call" and base[1] == "array" and index[0] == "literal" and index[1] in INTEGRALS:
        return _item_of_array(base, int(index[2]), child=child, lookup=lookup, variables=variables)
    element = element_of(child.type)
    if element is not None:
        return Typed(element, nullable=True)
    entry = entry_of(child.type)
    if entry is not None:
        return Typed(entry[1], nullable=True)
    found = _field_type(child.type, index[2]) if index[0] == "literal" and len(index) == 3 else None
    return Typed(found, nullable=True) if found else UNTYPED


def _item_of_array(base: Program, index: int, *, child: Typed, lookup: Lookup, variables: Variables) -> Typed:
    element = element_of(child.type) or UNKNOWN
    if element == UNKNOWN:
        return UNTYPED
    if not 0 <= index < len(base) - 2:
        return Typed(element, nullable=True)
    value = _evaluate(base[index + 2], lookup, variables)
    return Typed(element, is_null_after_cast(value, element))


def _call(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    name = program[1]
    rule = FUNCTIONS.get(name)
    if rule is None:
        return _higher_order(program, lookup, variables)
    arguments = tuple([_evaluate(child, lookup, variables) for child in program[2:]])
    return _apply(rule, name, arguments)


_RESULTS: dict[Any, Typed] = {}
_MOST_RESULTS = 50_000


def _apply(rule: Rule, name: str, arguments: tuple[Typed, ...]) -> Typed:
    """Apply a rule once for each list of arguments: a project asks the same few questions thousands of times."""
    key = (name, arguments)
    found = _RESULTS.get(key)
    if found is None:
        if len(_RESULTS) > _MOST_RESULTS:
            _RESULTS.clear()
        try:
            found = rule(arguments)
        except IndexError:  # fewer arguments than the function takes: Spark will say so
            found = UNTYPED
        _RESULTS[key] = found
    return found


def _higher_order(program: Program, lookup: Lookup, variables: Variables) -> Typed:
    rule = HIGHER_ORDER.get(program[1])
    if rule is None:
        return UNTYPED
    bodies = [_body(child, lookup, variables) for child in program[2:] if child[0] == "lambda"]
    arguments = [_evaluate(child, lookup, variables) for child in program[2:] if child[0] != "lambda"]
    try:
        return rule(arguments, bodies)
    except IndexError:  # fewer arguments than the function takes: Spark will say so
        return UNTYPED


def _body(program: Program, lookup: Lookup, variables: Variables) -> Body:
    def body(*values: Typed) -> Typed:
        bound = dict(zip(program[1], values, strict=False))
        return _evaluate(program[2], lookup, {**variables, **bound})

    return body


_OPERATIONS: dict[str, Callable[[Program, Lookup, Variables], Typed]] = {
    "literal": _literal,
    "call": _call,
    "cast": _cast,
    "try_cast": _try_cast,
    "arithmetic": _arithmetic,
    "boolean": _boolean,
    "compare": _compare,
    "in": _in,
    "case": _case,
    "struct": _struct,
    "arrays_zip": _arrays_zip,
    "field": _field,
    "item": _item,
    "variable": _variable,
    "lambda": _unknown,
    "unknown": _unknown,
}
