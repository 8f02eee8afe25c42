"""Follow columns of a linked query down to the tables they come from: their types, and whether they hold a key."""

from collections.abc import Iterable

from lamina.compiler.query.object import Output, QueryObject, QueryRelation, SelectScope, Star, TableRelation
from lamina.compiler.subject import Subject, find_column
from lamina.values.schema import UNKNOWN, DataType

Origin = tuple[str, str]  # table and column


def type_of(subject: Subject, query: QueryObject, *, relation: int, name: str) -> DataType:
    """Return the type of a relation's column, unknown where it cannot be followed."""
    origin = _origin(query, relation, name, names=subject.names)
    column = find_column(subject.schemas.get(origin[0]), origin[1]) if origin else None
    return column.type if column is not None else UNKNOWN


def has_key(subject: Subject, query: QueryObject, *, relation: int, columns: Iterable[str]) -> bool:
    """Return whether some columns of a relation hold a declared key of the table they come from."""
    if relation < 0:
        return False
    inside = [_origin(query, relation, name, names=subject.names) for name in columns]
    origins = {_below(subject, origin) for origin in inside if origin is not None}
    return any(
        all((name, column) in origins for column in key) for name, facts in subject.inputs.items() for key in facts.keys
    )


def _origin(query: QueryObject, number: int, name: str, *, names: tuple[str, ...]) -> Origin | None:
    """Return the table column that a column of a relation is, None when it is anything else."""
    relation = query.relations[number]
    if not isinstance(relation, (TableRelation, QueryRelation)) or relation.columns:
        return None
    if isinstance(relation, TableRelation):
        return names[relation.reference], name.lower()
    scope = query.scopes[relation.scope]
    source = _source(query, scope, name.lower()) if isinstance(scope, SelectScope) else None
    return _origin(query, *source, names=names) if source is not None else None


def _source(query: QueryObject, scope: SelectScope, name: str) -> tuple[int, str] | None:
    """Return relation and name of the column that an output of a SELECT passes on."""
    for output in scope.outputs:
        if isinstance(output, Output) and output.name.lower() == name:
            program = output.program
            return _owned(query, scope, program[1], program[2]) if program[0] == "column" else None
    for output in scope.outputs:
        if isinstance(output, Star) and name not in [item.lower() for item in output.left_out]:
            return _owned(query, scope, output.relation, name)
    return None


def _owned(query: QueryObject, scope: SelectScope, relation: int, name: str) -> tuple[int, str] | None:
    """Return a column with its relation; without one it is known only where there is just one."""
    if relation >= 0:
        return (relation, name) if relation in scope.relations else None
    tables = [item for item in scope.relations if isinstance(query.relations[item], (TableRelation, QueryRelation))]
    return (tables[0], name) if len(tables) == 1 else None


def _below(subject: Subject, origin: Origin) -> Origin | None:
    """Return the table column that a column of an ephemeral model is."""
    table, name = origin
    while table in subject.ephemeral:
        edges = [edge for edge in subject.ephemeral[table].model.lineage if edge.column.lower() == name]
        if len(edges) != 1 or edges[0].kind != "direct":
            return None
        table, name = str(edges[0].input), edges[0].input_column.lower()
    return table, name
