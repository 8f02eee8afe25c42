"""From a model's text to its query object: one parse, one walk, and the tree is dropped."""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lamina.compiler.identity.canonical import canonical
from lamina.compiler.problems.problems import problems_of
from lamina.compiler.problems.ungrouped import grouped_stars
from lamina.compiler.query.brackets import brackets_of
from lamina.compiler.query.from_clause import BEHIND_SAMPLE
from lamina.compiler.query.nodes import Nodes
from lamina.compiler.query.object import ParameterUse, QueryObject, QueryRelation, Reference
from lamina.compiler.query.parse import Parsed, parse
from lamina.compiler.query.places import place_at
from lamina.compiler.query.scopes import Resolve, Scopes
from lamina.compiler.query.uses import PARAMETERS
from lamina.compiler.query.walk import Walk
from lamina.compiler.rules import invalid_sql, nesting_too_deep, time_travel
from lamina.compiler.slices.row_order import row_choices, unordered_calls
from lamina.compiler.slices.shape import shape_of
from lamina.compiler.slices.volatile import volatile_functions
from lamina.values.diagnostic import Diagnostic, Place

_TABLES = frozenset({exp.Table})
_PARAMETERS = frozenset({exp.Parameter})
_DOTS = frozenset({exp.Dot})
MAX_CHAIN = 150  # CTEs that read one another: linking follows them down


def compile_query(text: str, resolve: Resolve, *, needs_shape: bool) -> QueryObject:
    """Return the object of one query, with its shape if asked; what is wrong is inside."""
    parsed = parse(text)
    if isinstance(parsed, Diagnostic):
        return QueryObject(diagnostics=(parsed,))
    nodes = Nodes(parsed.tree)
    try:
        return _object(text, parsed, nodes, resolve=resolve, needs_shape=needs_shape)
    except RecursionError:
        return QueryObject(diagnostics=(nesting_too_deep.finding(place=Place(file="")),))
    finally:
        for node in nodes.all:
            node.parent = None  # without cycles a tree is freed at once, and the garbage collector has nothing to do


def _object(text: str, parsed: Parsed, nodes: Nodes, *, resolve: Resolve, needs_shape: bool) -> QueryObject:
    tree = parsed.tree
    hidden = _hidden_name(parsed.tokens) if "identifier" in text.lower() else None
    if hidden is not None:
        return QueryObject(diagnostics=(invalid_sql.finding_of_hidden_name(place=place_at(text, hidden.start)),))
    if any(dot.args.get("this") is None or dot.args.get("expression") is None for dot in nodes.of(_DOTS)):
        found = invalid_sql.finding("a name is missing before or after a dot", place=Place(file=""))
        return QueryObject(diagnostics=(found,))
    tables = nodes.of(_TABLES)
    written = [table.parts for table in tables]
    if any(type(part) is not exp.Identifier for parts in written for part in parts[:-1]):
        found = invalid_sql.finding("a table name must be written out, without parameters", place=Place(file=""))
        return QueryObject(diagnostics=(found,))
    names = {parts: resolve(parts) for parts in {tuple([part.name for part in parts]) for parts in written}}
    # Both read the tree as written, so before parameters are replaced below; that a name may be a CTE's does no harm.
    form = canonical(tree, {".".join(parts).lower(): name for parts, name in names.items()})
    facts = shape_of(tree, nodes) if needs_shape else None
    parameters = tuple(_parameters(parsed.tokens)) if "@" in text else ()
    travels = [table.parts[0].meta.get("start", 0) for table in tables if table.args.get("version")]
    problems = tuple(time_travel.finding(place=place_at(text, start)) for start in travels)
    volatile = volatile_functions(nodes)
    if parameters:
        for node in nodes.of(_PARAMETERS):
            node.replace(exp.Column(this=exp.to_identifier(node.name), table=exp.to_identifier(PARAMETERS)))
    walk = Walk(lambda parts: names.get(parts) or resolve(parts))
    root = walk.query(tree, -1, {})
    scopes = walk.scopes
    scopes.release()
    if len(scopes.scopes) > MAX_CHAIN and _longest_chain(scopes) > MAX_CHAIN:
        return QueryObject(diagnostics=(nesting_too_deep.finding(place=Place(file="")),))
    tokens = parsed.tokens
    return QueryObject(
        references=tuple(_placed(item, tokens) for item in scopes.references),
        parameters=parameters,
        qualifiers=tuple(sorted(set(scopes.qualifiers), key=lambda item: item.start)),
        relations=tuple(scopes.relations),
        scopes=tuple(scopes.scopes),
        root=root,
        cte_names=tuple(scopes.cte_names),
        with_at=_with_at(tokens),
        end=tokens[-1].end + 1,
        volatile=(*volatile, "tablesample") if scopes.is_sampled else volatile,
        canonical=form,
        equal=tuple(scopes.equal),
        grouped_stars=grouped_stars(walk.suspects),
        fields=tuple(dict.fromkeys(scopes.fields)),
        choices=row_choices(nodes, scopes),
        unordered=unordered_calls(nodes),
        shape=facts,
        diagnostics=(
            *problems,
            *problems_of(text, tokens, nodes=nodes, suspects=walk.suspects),
        ),
    )


def _hidden_name(tokens: list[Token]) -> Token | None:
    """Return the first `IDENTIFIER(`, behind which Spark evaluates the name of a table, a column or a function."""
    for token, after in pairwise(tokens):
        is_word = token.token_type is not TokenType.IDENTIFIER and token.text.upper() == "IDENTIFIER"
        if is_word and after.token_type is TokenType.L_PAREN:
            return token
    return None


def _longest_chain(scopes: Scopes) -> int:
    lengths: dict[int, int] = {}
    for number, scope in enumerate(scopes.scopes):
        relations = (scopes.relations[item] for item in getattr(scope, "relations", ()))
        read = [item.scope for item in relations if isinstance(item, QueryRelation)]
        lengths[number] = 1 + max((lengths.get(item, 0) for item in read), default=0)
    return max(lengths.values(), default=0)


def _with_at(tokens: list[Token]) -> int:
    if tokens[0].token_type is not TokenType.WITH:
        return -1
    is_recursive = len(tokens) > 1 and tokens[1].text.upper() == "RECURSIVE"
    return tokens[1 if is_recursive else 0].end + 1


def _placed(reference: Reference, tokens: list[Token]) -> Reference:
    """Find the place for an alias behind `TABLESAMPLE (...) REPEATABLE (...)`."""
    if reference.alias_at != BEHIND_SAMPLE:
        return reference
    position = bisect_left(tokens, reference.end, key=lambda token: token.start)
    end = reference.end
    closing = {bracket.opening: bracket.closing for bracket in brackets_of(tokens, frozenset())}
    while position < len(tokens) and tokens[position].text.upper() in {"TABLESAMPLE", "REPEATABLE"}:
        position = closing.get(position + 1, position)
        end = tokens[position].end + 1
        position += 1
    return reference.replace(alias_at=end)


def _parameters(tokens: Iterable[Token]) -> Iterable[ParameterUse]:
    """Yield each `@name`: an at sign directly before a word, outside comments, strings and longer names."""
    before: Token | None = None
    for token in tokens:
        if before is not None and before.token_type is TokenType.PARAMETER and before.end + 1 == token.start:
            yield ParameterUse(token.text, before.start, token.end + 1)
        before = token
