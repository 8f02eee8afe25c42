"""Follow columns of a shape down to the tables they come from: their types, and whether an order over them is total."""

from collections.abc import Iterable, Mapping

from lamina.compiler.operators import QueryShape, Relation, SelectBlock, Term
from lamina.compiler.subject import find_column
from lamina.compiler.verdict import InputFacts
from lamina.values.schema import UNKNOWN, DataType, Schema

Origin = tuple[str, str]  # table and column


def origin_of(shape: QueryShape, number: int, term: Term | None) -> Origin | None:
    """Return the table column that a plain term is, None when it is anything else."""
    if term is None or not term.column or term.unit != "instant" or term.low or term.high:
        return None
    block = shape.blocks[number]
    if not isinstance(block, SelectBlock):
        return None
    relation = _relation(block, term.relation)
    if relation is None or relation.columns or relation.opaque:
        return None
    if relation.table:
        return relation.table, term.column
    return _output_origin(shape, relation.block, term.column) if relation.block >= 0 else None


def _relation(block: SelectBlock, alias: str) -> Relation | None:
    relations = [item for item in block.relations if item.join != "generator"]
    if alias:
        return next((item for item in relations if item.alias == alias), None)
    return relations[0] if len(relations) == 1 else None


def _output_origin(shape: QueryShape, number: int, column: str) -> Origin | None:
    block = shape.blocks[number]
    if not isinstance(block, SelectBlock):
        return None
    for output in block.outputs:
        if output.star is None and output.name == column:
            return origin_of(shape, number, output.terms[0]) if len(output.terms) == 1 else None
    for output in block.outputs:
        if output.star is not None and column not in output.left_out:
            return origin_of(shape, number, Term(relation=output.star, column=column))
    return None


def type_of(shape: QueryShape, number: int, term: Term, *, schemas: Mapping[str, Schema | None]) -> DataType:
    """Return the type of a plain term, unknown where it cannot be followed."""
    origin = origin_of(shape, number, term)
    column = find_column(schemas.get(origin[0]), origin[1]) if origin else None
    return column.type if column is not None else UNKNOWN


def is_total(shape: QueryShape, number: int, terms: Iterable[Term | None], *, inputs: Mapping[str, InputFacts]) -> bool:
    """Tell whether an order over these terms leaves no ties: one table, whose declared key is among them."""
    block = shape.blocks[number]
    if not isinstance(block, SelectBlock) or len(block.relations) != 1:
        return False
    if block.keys is not None:
        ordered = {term.replace(at=(1, 1)) for term in terms if term}
        return all(key is not None and key.replace(at=(1, 1)) in ordered for key in block.keys)
    origins = {origin for term in terms if (origin := origin_of(shape, number, term)) is not None}
    return any(all((name, column) in origins for column in key) for name, facts in inputs.items() for key in facts.keys)
