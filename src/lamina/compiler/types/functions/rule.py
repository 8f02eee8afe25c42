"""How a function's result is found from its arguments; most rules are rows of a table."""

from collections.abc import Callable, Sequence

from lamina.compiler.types.coercion import is_null_after_cast
from lamina.compiler.types.spark_types import UNTYPED, Typed
from lamina.values.schema import UNKNOWN, DataType

Arguments = Sequence[Typed]
Rule = Callable[[Arguments], Typed]
Result = Callable[[Arguments], DataType | None]
Nulls = Callable[[Arguments], bool]


def if_any(arguments: Arguments) -> bool:
    """Null if an argument is."""
    return any(item.nullable for item in arguments)


def if_first(arguments: Arguments) -> bool:
    """Null if the first argument is."""
    return arguments[0].nullable


def if_any_or_text(arguments: Arguments) -> bool:
    """Null if an argument is, or is text, which must be cast to a number or a time first."""
    return any(item.nullable or item.type == "string" for item in arguments)


def always(_: Arguments) -> bool:
    """Null whatever the arguments are."""
    return True


def never(_: Arguments) -> bool:
    """Never null."""
    return False


def cast_to(*targets: str) -> Nulls:
    """Null if an argument is once it is cast to the type the function takes; the last type is that of the rest."""
    kinds = tuple(DataType(target) for target in targets)

    def nulls(arguments: Arguments) -> bool:
        last = len(kinds) - 1
        return any(is_null_after_cast(item, kinds[min(at, last)]) for at, item in enumerate(arguments))

    return nulls


def table(result: str | Result, nulls: Nulls, names: str) -> dict[str, Rule]:
    """Return one rule under many names; `result` is a type, or computes it from the arguments."""
    rule = _fixed(DataType(result), nulls) if isinstance(result, str) else _computed(result, nulls)
    return dict.fromkeys(names.split(), rule)


def _fixed(result: DataType, nulls: Nulls) -> Rule:
    def rule(arguments: Arguments) -> Typed:
        return Typed(result, nulls(arguments))

    return rule


def _computed(result: Result, nulls: Nulls) -> Rule:
    def rule(arguments: Arguments) -> Typed:
        found = result(arguments)
        if found is None or found == UNKNOWN:
            return UNTYPED
        return Typed(found, nulls(arguments))

    return rule


def same(arguments: Arguments) -> DataType | None:
    """Return the type of the first argument."""
    return arguments[0].type
