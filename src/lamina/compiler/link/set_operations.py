"""Columns of UNION, INTERSECT and EXCEPT."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

from lamina.compiler.link.lookup import PSEUDO_COLUMNS, Problem
from lamina.compiler.link.rows import ALL, LinkedColumn, Rows, merge_edges
from lamina.compiler.query.object import DIRECT, SetScope
from lamina.compiler.rules import incompatible_branches, unknown_column
from lamina.compiler.types.coercion import common_type, is_null_after_cast
from lamina.compiler.types.infer import widen
from lamina.compiler.types.spark_types import Typed
from lamina.values.schema import UNKNOWN, DataType


def united(scope: SetScope, branches: list[Rows]) -> list[LinkedColumn]:
    """Return the columns of a set operation: names of the first branch, the wider type, the origins of all."""
    columns: list[LinkedColumn] = []
    names = [column.name for column in branches[0].columns]
    if scope.by_name:
        known = {name.lower() for name in names}
        names += [
            column.name for branch in branches[1:] for column in branch.columns if column.name.lower() not in known
        ]
        names = list({name.lower(): name for name in reversed(names)}.values())[::-1]
    for position, name in enumerate(names):
        parts = [branch.find(name) if scope.by_name else branch.columns[position] for branch in branches]
        found = [part for part in parts if part is not None]
        typed = widen([part.typed for part in found])
        if len(found) < len(parts):
            typed = Typed(typed.type, nullable=True)
        if set(scope.operators) == {"except"}:
            typed = Typed(typed.type, is_null_after_cast(found[0].typed, typed.type))
            found = found[:1]
        elif set(scope.operators) == {"intersect"}:
            typed = Typed(typed.type, all(is_null_after_cast(part.typed, typed.type) for part in found))
        edges = merge_edges((part.edges, DIRECT) for part in found)
        columns.append(LinkedColumn(name, Typed(typed.type, typed.nullable), edges))
    return columns


def set_problems(
    scope: SetScope, branches: list[Rows], *, columns: list[LinkedColumn], start_of: Callable[[int, int], int]
) -> Iterator[Problem]:
    """Yield the columns that Spark can give no type, and those of ORDER BY that are not returned."""
    yield from _mismatches(scope, branches, columns, start_of)
    names = {column.name.lower() for column in columns}
    if not scope.orders or scope.parent >= 0 or "" in names:
        return  # a name could be that of an outer query's column, or one that Spark gives
    for use in scope.orders:
        # Behind a qualifier Spark finds what the first branch had under it.
        is_sought = use.relation < 0 and not use.is_qualifier and use.name not in ("", ALL)
        if is_sought and use.name.lower() not in names and use.name.lower() not in PSEUDO_COLUMNS:
            known = tuple(column.name for column in columns)
            yield Problem(use.start, partial(unknown_column.finding_of_order, use.name, known=known))


def _mismatches(
    scope: SetScope, branches: list[Rows], columns: list[LinkedColumn], start_of: Callable[[int, int], int]
) -> Iterator[Problem]:
    """Yield each column that has two types without a common one."""
    for position, column in enumerate(columns):
        if column.typed.type != UNKNOWN:
            continue
        parts = [branch.find(column.name) if scope.by_name else branch.columns[position] for branch in branches]
        kinds = [(number, part.typed.type) for number, part in enumerate(parts) if part is not None]
        for (_, one), (number, other) in combinations(kinds, 2):
            if _are_strangers(one, other):
                start = start_of(scope.branches[number], 0 if scope.by_name else position)
                finding = partial(incompatible_branches.finding, column.name, types=(one, other))
                yield Problem(start, finding)
                break


def _are_strangers(one: DataType, other: DataType) -> bool:
    """Return whether Spark surely refuses two types side by side; structs are paired by rules of their own."""
    if any(word in kind for kind in (one, other) for word in ("struct<", "variant")):
        return False
    return common_type(one, other) is None
