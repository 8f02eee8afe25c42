"""The canonical form of a query: equal for texts that must give the same rows, different for those that may not.

Relations are known by where they occur, columns of inner queries by position where that is certain, CTEs by the order
in which they are first read; so no alias, CTE name, comment, quote or bracket enters the form.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlglot import exp

from lamina.compiler.identity.canonical_names import NAME_HANDLERS
from lamina.compiler.identity.canonical_walk import END, ROWS, Handlers, Relations, Walk, digest, written
from lamina.compiler.identity.canonical_words import SILENT, arguments, other
from lamina.compiler.query.occurrences import Block, Scope, is_query

NAMED = SILENT | {"this", "db", "catalog", "expressions"}
DEFAULT_KINDS = ("INNER", "OUTER")
LAST_CLAUSES = ("order", "limit", "offset", "sort", "distribute", "cluster")


class Leave:
    """On the stack: the text of the current scope has ended."""


class Chosen:
    """On the stack: the WHERE clause of the current scope has ended."""


def canonical(tree: Any, relations: Relations | None = None) -> str:
    """Return a hash of a query, blind to spelling and sensitive to whatever can change a value or a row."""
    return digest(walk_query(tree, relations or {}, inlined={}).out)


def walk_query(tree: Any, relations: Relations, *, inlined: Mapping[str, Any]) -> Walk:
    """Emit a query's words; `inlined` are queries to be read in place of relations, by their name as written."""
    walk = Walk(HANDLERS, relations, inlined=inlined)
    walk.run(tree)
    return walk


def _select(walk: Walk, node: Any) -> None:
    args = node.args
    has_reader = walk.has_block(node)
    block = walk.block_of(node)
    if not has_reader:
        block.names_matter = True  # how its columns are read is not known
    scope = walk.enter(node, block)
    if (source := args.get("from_")) is not None:
        _register(walk, scope, source.args["this"])
    for join in args.get("joins") or ():
        _register(walk, scope, join.args["this"])
    for lateral in args.get("laterals") or ():
        _register(walk, scope, lateral)
    if windows := args.get("windows"):
        scope.windows = {window.name: number for number, window in enumerate(windows)}
    walk.out.append("(Select")
    block.slot = len(walk.out)
    walk.out.append("")
    words: list[Any] = []
    for position, item in enumerate(args["expressions"]):
        words.append((block.number, position))
        if item.__class__ is exp.Alias:
            value = item.args["this"]
            name = block.names[position].lower()
            if value.__class__ is not exp.Column or value.args["this"].name.lower() != name:
                scope.aliases.add(name)
            words.append(value)
        else:
            words.append(item)
    words.append((block.number, ROWS))
    words.extend(arguments(args, NAMED))
    words.append((block.number, END))
    words.append(LEAVE)
    walk.push(words)


def _where(walk: Walk, node: Any) -> None:
    words = arguments(node.args, SILENT)
    if node.parent.__class__ is exp.Select:
        # Rows are chosen before there are outputs: no name in here is one of them.
        walk.scope.sees_outputs = False
        words.append(CHOSEN)
    walk.out.append("(Where")
    walk.push(words)


def _set_operation(walk: Walk, node: Any) -> None:
    block = walk.block_of(node)
    right = walk.block_of(node.args["expression"])
    right.is_derived, right.is_read = block.is_derived, block.is_read
    is_union_all = node.__class__ is exp.Union and not node.args.get("distinct")
    walk.set_operations.append((block.number, right.number, not is_union_all))
    if node.args.get("by_name"):
        block.names_matter = right.names_matter = True
    walk.out.append("(" + node.__class__.__name__)
    words = arguments(_in_order(node.args), SILENT)
    if node.args.get("with_") is not None or node.args.get("order") is not None:
        walk.enter(node, block).is_set_operation = True
        words.append(LEAVE)
    walk.push(words)


def _in_order(args: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments of a set operation in a fixed order: the parser adds the last ones from a set."""
    if sum(args.get(name) is not None for name in LAST_CLAUSES) < 2:
        return args
    rest = {name: value for name, value in args.items() if name not in LAST_CLAUSES}
    return rest | {name: args[name] for name in LAST_CLAUSES if name in args}


def _register(walk: Walk, scope: Scope, source: Any) -> None:
    args = source.args
    alias = args.get("alias")
    name = alias.name if alias is not None else None
    block: Block | None = None
    by_name = bool(args.get("pivots")) or (alias is not None and bool(alias.args.get("columns")))
    this = args.get("this")
    if source.__class__ is exp.Table and this.__class__ is exp.Identifier:
        definition = walk.definition(source, scope.visible)
        if definition is not None:
            block = walk.block_of(definition.query)
            block.is_read = True
            by_name = by_name or bool(definition.columns)
        if name is None:
            name = this.args["this"]
            if args.get("db") is not None:
                scope.occurrences.setdefault(written(source), len(scope.blocks))
    elif source.__class__ is exp.Subquery:
        if is_query(this):
            block = walk.block_of(this)
            block.is_derived = block.is_read = True
        elif name is None:
            _register(walk, scope, this)
            return
    if block is not None and by_name:
        walk.read(block, None)
        block = None
    for pivot in args.get("pivots") or ():
        pivot_alias = pivot.args.get("alias")
        name = pivot_alias.name if pivot_alias is not None else name
    scope.add(name, block)
    for join in args.get("joins") or ():
        _register(walk, scope, join.args["this"])


def _table(walk: Walk, node: Any) -> None:
    if node.args["this"].__class__ is not exp.Identifier:
        other(walk, node)
        return
    definition = walk.definition(node, walk.scope.visible)
    if definition is not None:
        walk.read(walk.block_of(definition.query), ROWS)
        word = f"@{walk.number(definition)}"
    else:
        name = written(node)
        word = walk.relations.get(name, name)
    walk.out.append("(Table " + word)
    walk.push(arguments(node.args, NAMED))


def _subquery(walk: Walk, node: Any) -> None:
    words = arguments(node.args, SILENT)
    if len(words) == 3:  # brackets and nothing else
        walk.push([node.args["this"]])
        return
    walk.out.append("(Subquery")
    walk.push(words)


def _column(walk: Walk, node: Any) -> None:
    args = node.args
    this, qualifier = args["this"], args.get("table")
    if this.__class__ is exp.Star:
        _qualified_star(walk, node)
    elif walk.variables and (variable := walk.variable(node.parts[0].name)) is not None:
        walk.out.append(".".join([variable, *(part.name for part in node.parts[1:])]))
    elif qualifier is None:
        _bare_column(walk, this.name.lower())
    elif args.get("db") is None:
        _qualified_column(walk, [qualifier.name, this.name])
    else:
        _qualified_column(walk, [part.name for part in node.parts])


def _bare_column(walk: Walk, name: str) -> None:
    scope = walk.scope
    if scope.is_set_operation and scope.block is not None:
        walk.read(scope.block, None)
        walk.out.append("~" + name)
        return
    if not scope.sees_outputs or name not in scope.aliases:
        owners = [
            occurrence
            for occurrence, block in enumerate(scope.blocks)
            if block is None or block.positions is None or name in block.positions
        ]
        block = scope.blocks[owners[0]] if len(owners) == 1 else None
        if block is not None and block.positions is not None:
            position = block.positions[name]
            walk.read(block, position)
            walk.out.append(f"{_occurrence(0, owners[0])}#{position}")
            return
        if len(scope.blocks) == 1 and not scope.is_correlated:
            walk.read_by_name(scope)
            walk.out.append("0.0." + name)
            return
    here: Scope | None = scope
    while here is not None:
        walk.read_by_name(here)
        if here.sees_outputs and name in here.aliases and here.block is not None:
            walk.read(here.block, None)
        here = here.outer
    walk.out.append("~" + name)


def _qualified_column(walk: Walk, parts: list[str]) -> None:
    """Emit a column by its relation and name, and as written what follows: a field may be the key of a map."""
    first = parts[0].lower()
    qualifier = first if len(parts) == 2 else ".".join(parts[:-1]).lower()
    up = 0
    here: Scope | None = walk.scope
    while here is not None:
        rest = parts[-1:]
        occurrence = here.occurrences.get(qualifier)
        if occurrence is None and len(parts) > 2:
            occurrence = here.occurrences.get(first)
            rest = parts[1:]
        if occurrence is not None:
            block = here.blocks[occurrence]
            name = rest[0].lower()
            position = block.positions.get(name) if block is not None and block.positions is not None else None
            if block is not None:
                walk.read(block, position)
            column = "." + name if position is None else f"#{position}"
            walk.out.append(".".join([_occurrence(up, occurrence) + column, *rest[1:]]))
            return
        here = here.outer
        up += 1
    # A field of a struct column: the first part is a column of some relation in scope.
    _bare_column(walk, first)
    walk.out[-1] += "." + ".".join(parts[1:])


@cache
def _occurrence(up: int, number: int) -> str:
    """Return the word for a relation: how many scopes up it is, and where in its FROM clause."""
    return f"{up}.{number}"


def _qualified_star(walk: Walk, node: Any) -> None:
    qualifier = ".".join(part.name.lower() for part in node.parts[:-1])
    up = 0
    here: Scope | None = walk.scope
    while here is not None:
        occurrence = here.occurrences.get(qualifier)
        if occurrence is not None:
            block = here.blocks[occurrence]
            if block is not None:
                walk.read(block, None)
            walk.out.append(_occurrence(up, occurrence) + ".*")
            break
        here = here.outer
        up += 1
    else:
        walk.read_by_name(walk.scope)
        walk.out.append(f"{qualifier}.*")
    walk.push(arguments(node.args["this"].args, SILENT))


def _star(walk: Walk, node: Any) -> None:
    if node.parent.__class__ is not exp.Count:
        walk.read_by_name(walk.scope)
    other(walk, node)


def _join(walk: Walk, node: Any) -> None:
    if node.args.get("using") or node.args.get("method"):
        walk.read_by_name(walk.scope)
    words = [str(node.args.get(key) or "").upper() for key in ("method", "side", "kind")]
    words[2] = "" if words[2] in DEFAULT_KINDS else words[2]
    walk.out.append("(Join " + " ".join(words))
    walk.push(arguments(node.args, JOIN_SPELT))


def _literal(walk: Walk, node: Any) -> None:
    text = node.args["this"]
    walk.out.append(f"'{len(text)}:{text}" if node.args["is_string"] else text.lower())


def _identifier(walk: Walk, node: Any) -> None:
    name = node.args["this"]
    variable = walk.variable(name) if walk.variables else None
    walk.out.append(variable or "`" + name.lower())


def _boolean(walk: Walk, node: Any) -> None:
    walk.out.append("!true" if node.args["this"] else "!false")


def _paren(walk: Walk, node: Any) -> None:
    walk.push([node.args["this"]])


def _data_type(walk: Walk, node: Any) -> None:
    if node.args.get("expressions"):
        other(walk, node)
        return
    walk.out.append(f"<{node.args['this']}")


def _anonymous(walk: Walk, node: Any) -> None:
    walk.out.append("(" + str(node.args["this"]).lower())
    walk.push(arguments(node.args, ANONYMOUS_SPELT))


def _membership(walk: Walk, node: Any) -> None:
    query = node.args.get("query") if node.__class__ is exp.In else node.args["this"]
    if query is not None and is_query(query):
        walk.block_of(query)  # only whether rows exist or match is asked, never what a column is called
    other(walk, node)


def _leave(walk: Walk, _: Any) -> None:
    walk.leave()


def _chosen(walk: Walk, _: Any) -> None:
    walk.scope.sees_outputs = True


LEAVE = Leave()
CHOSEN = Chosen()
JOIN_SPELT = SILENT | {"method", "side", "kind"}
ANONYMOUS_SPELT = SILENT | {"this"}
HANDLERS: Handlers = {
    **NAME_HANDLERS,
    object: other,
    Chosen: _chosen,
    Leave: _leave,
    exp.Anonymous: _anonymous,
    exp.Boolean: _boolean,
    exp.Column: _column,
    exp.DataType: _data_type,
    exp.Except: _set_operation,
    exp.Exists: _membership,
    exp.Identifier: _identifier,
    exp.In: _membership,
    exp.Intersect: _set_operation,
    exp.Join: _join,
    exp.Literal: _literal,
    exp.Paren: _paren,
    exp.Select: _select,
    exp.Star: _star,
    exp.Subquery: _subquery,
    exp.Table: _table,
    exp.Union: _set_operation,
    exp.Where: _where,
}
