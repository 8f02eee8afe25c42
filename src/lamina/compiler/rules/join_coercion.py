"""L231: a join compares columns of different kinds.

Why: Spark casts one side silently: keys that look equal may not match, and the layout of the table cannot help.
Fix: cast one side in the query, so that the intent shows.
"""

from collections.abc import Iterator

from lamina.compiler.link.tracing import type_of
from lamina.compiler.query.object import QueryObject
from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
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
    query = subject.query
    if query is None:
        return
    for pair in query.equal:
        sides = ((pair.relation, pair.name), (pair.other, pair.other_name))
        types = [type_of(subject, query, relation=relation, name=name) for relation, name in sides]
        kinds = {KINDS.get(str(item).partition("(")[0]) for item in types}
        if len(kinds) == 1 or None in kinds:
            continue
        left, right = (_written(query, relation, name) for relation, name in sides)
        yield RULE.finding(
            f"`{left}` is `{types[0]}` and `{right}` is `{types[1]}`, so Spark casts one of them",
            place=subject.place_in_text(pair.start),
            model=subject.model.name,
            hint="cast one side in the query",
        )


def _written(query: QueryObject, relation: int, name: str) -> str:
    alias = query.relations[relation].alias
    return f"{alias}.{name}".lower() if alias else name.lower()
