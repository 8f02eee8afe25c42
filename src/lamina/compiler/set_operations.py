"""Columns and places of UNION, INTERSECT and EXCEPT."""

from collections.abc import Iterable

from lamina.compiler.coercion import is_null_after_cast
from lamina.compiler.infer import widen
from lamina.compiler.object import DIRECT, SetScope
from lamina.compiler.rows import LinkedColumn, Occurrence, Rows, merge_edges
from lamina.compiler.types import Typed


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


def aligned(first: Rows, branch: Rows, scope: SetScope) -> Iterable[Occurrence]:
    """Yield the places a branch reads, with paths under the names of the first branch."""
    if not scope.is_union_all or scope.by_name or first.is_open or len(first.columns) != len(branch.columns):
        return (item.blocked() for item in branch.occurrences)
    names = {outer.name.lower(): inner.name for outer, inner in zip(first.columns, branch.columns, strict=True)}
    return (
        Occurrence(
            item.table,
            item.filter_column,
            {outer: origin for outer, inner in names.items() if (origin := item.origin(inner)) is not None},
        )
        for item in branch.occurrences
    )
