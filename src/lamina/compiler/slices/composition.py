"""Put the shapes of ephemeral models in place of their names, so that a query is judged as Spark will run it."""

from collections.abc import Callable, Iterator, Mapping

from lamina.compiler.query.operators import Block, QueryShape, Relation, SelectBlock, Subquery
from lamina.values.names import TableName
from lamina.values.value import Value


class Inlined(Value, frozen=True):
    """The shape of an ephemeral model, its names resolved, and the file it is in; None: it cannot be read."""

    shape: QueryShape | None
    file: str


Find = Callable[[str], Inlined | None]  # the ephemeral model of a name, None if it is none


def resolve(shape: QueryShape, names: Mapping[str, TableName]) -> QueryShape:
    """Return a shape whose relations carry tables of the project; `names` maps names as written, in lower case."""
    return shape.replace(blocks=tuple(_resolved(block, names) for block in shape.blocks))


def compose(shape: QueryShape, find: Find) -> QueryShape | None:
    """Put the blocks of all ephemeral models below a resolved shape before its own, each model's once.

    None: one of them cannot be read.
    """
    parts = _parts(shape, find)
    if not parts:
        return shape
    blocks: list[Block] = []
    parameters = list(shape.parameters)
    starts: dict[str, int] = {}
    for name, part in parts.items():
        if part.shape is None:
            return None
        blocks.extend(_moved(part.shape, len(blocks), starts=starts, file=part.file))
        parameters.extend(use.replace(file=part.file) for use in part.shape.parameters)
        starts[name] = len(blocks) - 1
    blocks.extend(_moved(shape, len(blocks), starts=starts, file=""))
    return QueryShape(blocks=tuple(blocks), parameters=tuple(parameters))


def _parts(shape: QueryShape, find: Find) -> dict[str, Inlined]:
    """Return the ephemeral models below a shape, each after those it reads; a name inside a loop stays a name."""
    found: dict[str, Inlined] = {}
    ordered: dict[str, Inlined] = {}
    pending = [(name, False) for name in _tables(shape)]
    while pending:
        name, is_left = pending.pop()
        if is_left:
            ordered[name] = found[name]
            continue
        part = find(name) if name not in found else None
        if part is None:
            continue
        found[name] = part
        pending.append((name, True))
        pending.extend((inner, False) for inner in (_tables(part.shape) if part.shape is not None else ()))
    return ordered


def _tables(shape: QueryShape) -> list[str]:
    """Return the tables of a shape, last name first."""
    selects = [block for block in shape.blocks if isinstance(block, SelectBlock)]
    return sorted({item.table for block in selects for item in block.relations if item.table}, reverse=True)


def _moved(shape: QueryShape, offset: int, *, starts: Mapping[str, int], file: str) -> Iterator[Block]:
    for block in shape.blocks:
        if not isinstance(block, SelectBlock):
            yield block.replace(branches=tuple(number + offset for number in block.branches), file=file)
            continue
        relations = tuple(_moved_relation(item, offset, starts) for item in block.relations)
        subqueries = tuple(_moved_subquery(item, offset) for item in block.subqueries)
        yield block.replace(relations=relations, subqueries=subqueries, file=file)


def _moved_relation(relation: Relation, offset: int, starts: Mapping[str, int]) -> Relation:
    if relation.table in starts:
        return relation.replace(table="", block=starts[relation.table])
    return relation if relation.block < 0 else relation.replace(block=relation.block + offset)


def _moved_subquery(subquery: Subquery, offset: int) -> Subquery:
    return subquery.replace(block=subquery.block + offset)


def _resolved(block: Block, names: Mapping[str, TableName]) -> Block:
    if not isinstance(block, SelectBlock):
        return block
    return block.replace(relations=tuple(_resolved_relation(item, names) for item in block.relations))


def _resolved_relation(relation: Relation, names: Mapping[str, TableName]) -> Relation:
    name = names.get(relation.table.lower()) if relation.table else None
    return relation if name is None else relation.replace(table=str(name))
