"""Put the shapes of ephemeral models in place of their names, so that a query is judged as Spark will run it."""

from collections.abc import Mapping

from lamina.compiler.operators import Block, QueryShape, Relation, SelectBlock, Subquery
from lamina.values.names import TableName
from lamina.values.value import Value


class Inlined(Value, frozen=True):
    """The composed shape of an ephemeral model and the file it stands in."""

    shape: QueryShape
    file: str


def compose(shape: QueryShape, names: Mapping[str, TableName], *, inlined: Mapping[TableName, Inlined]) -> QueryShape:
    """Resolve written names and put in the blocks of the ephemeral ones, each once.

    `names` maps names as written, in lower case, to tables of the project.
    """
    blocks: list[Block] = []
    parameters = list(shape.parameters)
    starts: dict[TableName, int] = {}
    for name in _inlined_names(shape, names, inlined):
        part = inlined[name]
        offset = len(blocks)
        blocks.extend(_moved(block, offset, file=part.file) for block in part.shape.blocks)
        parameters.extend(use.replace(file=use.file or part.file) for use in part.shape.parameters)
        starts[name] = len(blocks) - 1
    offset = len(blocks)
    blocks.extend(_resolved(_moved(block, offset, file=""), names, starts) for block in shape.blocks)
    return QueryShape(blocks=tuple(blocks), parameters=tuple(parameters))


def _inlined_names(
    shape: QueryShape, names: Mapping[str, TableName], inlined: Mapping[TableName, Inlined]
) -> tuple[TableName, ...]:
    read = {names[table.lower()] for table in _tables(shape) if table.lower() in names}
    return tuple(sorted(name for name in read if name in inlined))


def _tables(shape: QueryShape) -> list[str]:
    selects = [block for block in shape.blocks if isinstance(block, SelectBlock)]
    return [relation.table for block in selects for relation in block.relations if relation.table]


def _moved(block: Block, offset: int, *, file: str) -> Block:
    where = block.file or file
    if not isinstance(block, SelectBlock):
        return block.replace(branches=tuple(number + offset for number in block.branches), file=where)
    relations = tuple(_moved_relation(item, offset) for item in block.relations)
    subqueries = tuple(_moved_subquery(item, offset) for item in block.subqueries)
    return block.replace(relations=relations, subqueries=subqueries, file=where)


def _moved_relation(relation: Relation, offset: int) -> Relation:
    return relation if relation.block < 0 else relation.replace(block=relation.block + offset)


def _moved_subquery(subquery: Subquery, offset: int) -> Subquery:
    return subquery.replace(block=subquery.block + offset)


def _resolved(block: Block, names: Mapping[str, TableName], starts: Mapping[TableName, int]) -> Block:
    if not isinstance(block, SelectBlock):
        return block
    return block.replace(relations=tuple(_resolved_relation(item, names, starts) for item in block.relations))


def _resolved_relation(relation: Relation, names: Mapping[str, TableName], starts: Mapping[TableName, int]) -> Relation:
    name = names.get(relation.table.lower()) if relation.table else None
    if name is None:
        return relation
    if name in starts:
        return relation.replace(table="", block=starts[name])
    return relation.replace(table=str(name))
