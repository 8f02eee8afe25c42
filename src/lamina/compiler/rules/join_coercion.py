"""L231: a join compares columns of different kinds.

Why: Spark casts one side silently: keys that look equal may not match, and the layout of the table cannot help.
Fix: cast one side in the query, so that the intent shows.
"""

from collections.abc import Iterator

from lamina.compiler.operators import At, SelectBlock, Term
from lamina.compiler.subject import Subject
from lamina.compiler.tracing import type_of
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L231", name="JoinCoercion", severity="warning")

KINDS = {
    "tinyint": "number",
    "smallint": "number",
    "int": "number",
    "bigint": "number",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "string": "text",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp",
    "boolean": "boolean",
    "binary": "binary",
}


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each equality between columns of two relations whose kinds of type differ."""
    shape = subject.shape
    for number, block in enumerate(shape.blocks if shape is not None else ()):
        if not isinstance(block, SelectBlock) or block.file or shape is None:
            continue
        for left, right, at in _equalities(block):
            types = [type_of(shape, number, term, schemas=subject.schemas) for term in (left, right)]
            kinds = {KINDS.get(str(item).partition("(")[0]) for item in types}
            if len(kinds) == 1 or None in kinds:
                continue
            yield RULE.finding(
                f"`{_name(left)}` is `{types[0]}` and `{_name(right)}` is `{types[1]}`, so Spark casts one of them",
                place=Place(file=subject.file.path, line=at[0], column=at[1]),
                model=subject.model.name,
                hint="cast one side in the query",
            )


def _equalities(block: SelectBlock) -> Iterator[tuple[Term, Term, At]]:
    conditions = (block.where, *(relation.on for relation in block.relations))
    for comparison in (item for condition in conditions for item in condition.comparisons):
        left, right = comparison.left, comparison.right
        is_plain = left.column and right.column and left.unit == right.unit == "instant" and not (left.low or right.low)
        if comparison.comparator == "=" and is_plain and left.relation != right.relation:
            yield left, right, left.at
    for number, relation in enumerate(block.relations):
        for name in relation.using:
            for other in block.relations[:number]:
                yield (
                    Term(relation=other.alias, column=name),
                    Term(relation=relation.alias, column=name),
                    relation.at,
                )


def _name(term: Term) -> str:
    return f"{term.relation}.{term.column}" if term.relation else term.column
