"""From a model's text to its query object: one parse, one walk, and the tree is dropped."""

from collections.abc import Callable, Iterable

from sqlglot import exp
from sqlglot.tokens import Token, TokenType

from lamina.compiler.canonical import canonical
from lamina.compiler.object import ParameterUse, QueryObject
from lamina.compiler.operators import QueryShape
from lamina.compiler.parse import Parsed, parse
from lamina.compiler.rules import nesting_too_deep
from lamina.compiler.uses import PARAMETERS
from lamina.compiler.volatile import volatile_functions
from lamina.compiler.walk import Resolve, Walk
from lamina.values.diagnostic import Diagnostic, Place

Shape = Callable[[exp.Expression], QueryShape]


def compile_query(text: str, resolve: Resolve, *, shape: Shape | None = None) -> QueryObject:
    """Return the object of one query, with its shape if asked; what is wrong with its text is inside."""
    parsed = parse(text)
    if isinstance(parsed, Diagnostic):
        return QueryObject(diagnostics=(parsed,))
    try:
        return _object(parsed, resolve, shape=shape)
    except RecursionError:
        return QueryObject(diagnostics=(nesting_too_deep.finding(place=Place(file="")),))


def _object(parsed: Parsed, resolve: Resolve, *, shape: Shape | None) -> QueryObject:
    tree = parsed.tree
    # Both read the tree as written, so before parameters are replaced below.
    form = canonical(tree, _relations(tree, resolve))
    facts = shape(tree) if shape is not None else None
    parameters = tuple(_parameters(parsed.tokens))
    volatile = volatile_functions(tree)
    if parameters:
        for node in list(tree.find_all(exp.Parameter)):
            node.replace(exp.Column(this=exp.to_identifier(node.name), table=exp.to_identifier(PARAMETERS)))
    walk = Walk(resolve)
    root = walk.query(tree, -1, {})
    return QueryObject(
        references=tuple(walk.references),
        parameters=parameters,
        qualifiers=tuple(sorted(set(walk.qualifiers), key=lambda item: item.start)),
        relations=tuple(walk.relations),
        scopes=tuple(walk.scopes),
        root=root,
        cte_names=tuple(walk.cte_names),
        volatile=(*volatile, "tablesample") if walk.is_sampled else volatile,
        canonical=form,
        shape=facts,
    )


def _relations(tree: exp.Expression, resolve: Resolve) -> dict[str, str]:
    """Return each table name as written, in lower case, with what it stands for; CTE names do no harm."""
    written = {tuple(part.name for part in table.parts) for table in tree.find_all(exp.Table)}
    return {".".join(parts).lower(): resolve(parts) for parts in written}


def _parameters(tokens: Iterable[Token]) -> Iterable[ParameterUse]:
    """Yield each `@name`: an at sign directly before a word, outside comments, strings and longer names."""
    before: Token | None = None
    for token in tokens:
        if before is not None and before.token_type is TokenType.PARAMETER and before.end + 1 == token.start:
            yield ParameterUse(token.text, before.start, token.end + 1)
        before = token
