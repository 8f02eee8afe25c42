"""Columns of two tables matched by name: which values can be compared, and how; needs no Spark."""

from lamina.errors import UsageError
from lamina.values.names import folded
from lamina.values.schema import Schema
from lamina.values.table_diff import ColumnsDiff, NotCompared, RetypedColumn
from lamina.values.value import Value
from lamina.warehouse.spark.compare import as_json
from lamina.warehouse.sql import quote

# The second type holds every value of the first one; Iceberg too takes these over without rewriting a file.
_WIDER = {("int", "bigint"), ("float", "double")}


class Pair(Value, frozen=True):
    """A column that both tables have and whose values can be compared."""

    left: str  # its name there
    right: str
    place: int
    is_map: bool = False

    @property
    def name(self) -> str:
        """Return its name among the compared columns, whatever letters it has."""
        return f"c{self.place}"

    def of(self, name: str) -> str:
        """Return the column of a side so that it can be compared: a map as text, in the order of its keys."""
        value = quote(name)
        return as_json(f"map_from_entries(array_sort(map_entries({value})))") if self.is_map else value


def match_columns(left: Schema, right: Schema) -> tuple[ColumnsDiff, tuple[Pair, ...], tuple[NotCompared, ...]]:
    """Match columns by name, whatever the case; those of one side only, or without comparable values, are named."""
    there = {folded(column.name): column for column in right}
    here = {folded(column.name) for column in left}
    pairs: list[Pair] = []
    retyped: list[RetypedColumn] = []
    left_out: list[NotCompared] = []
    for column in left:
        other = there.get(folded(column.name))
        if other is None:
            continue
        if column.type != other.type:
            retyped.append(RetypedColumn(column=column.name, left=column.type, right=other.type))
        if (reason := _obstacle(column.type, other.type)) is not None:
            left_out.append(NotCompared(column=column.name, reason=reason))
            continue
        is_map = column.type.startswith("map<")
        pairs.append(Pair(left=column.name, right=other.name, place=len(pairs), is_map=is_map))
    added = tuple(column.name for column in right if folded(column.name) not in here)
    removed = tuple(column.name for column in left if folded(column.name) not in there)
    return ColumnsDiff(added=added, removed=removed, retyped=tuple(retyped)), tuple(pairs), tuple(left_out)


def _obstacle(left: str, right: str) -> str | None:
    """Say why values of two types are not compared; None where they are."""
    if left != right and not _is_wider(left, right) and not _is_wider(right, left):
        return f"{left} and {right} are different types"
    inside = left.partition("<")[2] if left.startswith("map<") else left
    if "map<" in inside:
        return "a map within another type has no order to compare it by"
    return "a variant has no order to compare it by" if "variant" in left else None


def _is_wider(narrow: str, wide: str) -> bool:
    """Return whether one type holds every value of another one, as it is."""
    if (narrow, wide) in _WIDER:
        return True
    decimals = [kind.removeprefix("decimal(").removesuffix(")").split(",") for kind in (narrow, wide)]
    if not (narrow.startswith("decimal(") and wide.startswith("decimal(")):
        return False
    (precision, scale), (wider, same) = decimals
    return scale == same and int(precision) <= int(wider)


def key_pairs(pairs: tuple[Pair, ...], keys: tuple[str, ...], columns: ColumnsDiff) -> tuple[Pair, ...]:
    """Return the columns that rows are matched by; refuse one that is not in both tables, or has no order."""
    named = {folded(pair.left): pair for pair in pairs}
    for key in keys:
        if folded(key) not in named or named[folded(key)].is_map:
            one_sided = {folded(name) for name in (*columns.added, *columns.removed)}
            why = "only one table has it" if folded(key) in one_sided else "no column of both tables that has an order"
            raise UsageError(f"`{key}` cannot be a key: {why}", hint="name columns of both tables with `--key`")
    return tuple(dict.fromkeys(named[folded(key)] for key in keys))
