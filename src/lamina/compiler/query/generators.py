"""Functions that make rows: what they are called and which columns they give."""

from sqlglot import exp

from lamina.compiler.types.spark_types import Typed, element_of, entry_of, fields_of
from lamina.values.schema import UNKNOWN, DataType

# By the names of the parser's classes: the one it makes for `explode_outer` cannot be reached as an attribute.
_NAMED = {
    "Explode": "explode",
    "_ExplodeOuter": "explode_outer",
    "ExplodeOuter": "explode_outer",
    "Posexplode": "posexplode",
    "PosexplodeOuter": "posexplode_outer",
    "Inline": "inline",
    "Stack": "stack",
}
_BY_NAME = {
    "explode",
    "explode_outer",
    "posexplode",
    "posexplode_outer",
    "inline",
    "inline_outer",
    "stack",
    "json_tuple",
    "range",
}

GeneratedColumn = tuple[str, Typed]


def generator_name(node: exp.Expr) -> str | None:
    """Return Spark's name of the row-making function a node calls, or None."""
    if isinstance(node, exp.Anonymous):
        name = str(node.this).lower()
        return name if name in _BY_NAME else None
    return _NAMED.get(type(node).__name__)


def is_generator(kind: type[exp.Expr]) -> bool:
    """Return whether nodes of a class make rows."""
    return kind.__name__ in _NAMED


def generator_arguments(node: exp.Expr) -> list[exp.Expr]:
    """Return the arguments of a row-making function in order."""
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    first = [node.this] if isinstance(node.this, exp.Expr) else []
    return [*first, *node.expressions]


def generated_columns(
    function: str, arguments: list[Typed], names: tuple[str, ...]
) -> tuple[GeneratedColumn, ...] | None:
    """Return the columns a generator gives, under the names given; None if they are not known."""
    columns = _columns(function.removesuffix("_outer"), arguments)
    if columns is None:
        return tuple((name, Typed(UNKNOWN, nullable=True)) for name in names) or None
    if function.endswith("_outer"):
        columns = [(name, typed.replace(nullable=True)) for name, typed in columns]
    if not names:
        return tuple(columns)
    if len(names) != len(columns):
        return None
    return tuple((name, typed) for name, (_, typed) in zip(names, columns, strict=True))


def _columns(function: str, arguments: list[Typed]) -> list[GeneratedColumn] | None:
    if function == "range":
        return [("id", Typed(DataType("bigint"), nullable=False))]
    if function == "json_tuple":
        return [(f"c{number}", Typed(DataType("string"), nullable=True)) for number in range(len(arguments) - 1)]
    if function == "stack":
        return _stacked(arguments)
    if not arguments:
        return None
    kind = arguments[0].type
    if function == "inline":
        fields = fields_of(element_of(kind) or UNKNOWN)
        return [(name, Typed(of, nullable=True)) for name, of in fields] if fields else None
    entry = entry_of(kind)
    element = element_of(kind)
    if entry:
        columns = [("key", Typed(entry[0], nullable=False)), ("value", Typed(entry[1], nullable=True))]
    elif element:
        columns = [("col", Typed(element, nullable=True))]
    else:
        return None
    if function == "posexplode":
        return [("pos", Typed(DataType("int"), nullable=False)), *columns]
    return columns


def _stacked(arguments: list[Typed]) -> list[GeneratedColumn] | None:
    """`stack(n, ...)` fills n rows from left to right; a column's type is given by its first row."""
    count = (arguments[0].literal if arguments and arguments[0].type == "int" else None) or ""
    rows = int(count) if count.isdecimal() else 0
    if rows == 0:
        return None
    values = arguments[1:]
    width = -(-len(values) // rows)
    columns: list[GeneratedColumn] = []
    for number in range(width):
        kinds = {item.type for item in values[number::width]} - {DataType("void")}
        kind = kinds.pop() if len(kinds) == 1 else UNKNOWN
        columns.append((f"col{number}", Typed(kind, nullable=True)))
    return columns
