"""Reduce the tree of one query to its shape: the plain facts from which incrementality is judged."""

from collections.abc import Iterable
from typing import Any

from sqlglot import exp

from lamina.compiler.query.clauses import clauses, clauses_over, laterals
from lamina.compiler.query.nodes import Nodes, has_grouping_sets, is_named_table, own_nodes
from lamina.compiler.query.operators import (
    NOWHERE,
    At,
    Block,
    FunctionUse,
    JoinKind,
    Limit,
    OutputColumn,
    QueryShape,
    Relation,
    RunParameter,
    SelectBlock,
    SetBlock,
    Subquery,
    SubqueryKind,
    Window,
)
from lamina.compiler.slices.calls import is_plain_call, kinds_of
from lamina.compiler.slices.clock_literals import clock_literals
from lamina.compiler.slices.frames import order_terms, window_of
from lamina.compiler.slices.outputs import keys_of, output_of
from lamina.compiler.slices.terms import condition_of, is_bound, parameter_name, place, term_of
from lamina.compiler.slices.volatile import literal_name
from lamina.compiler.types.functions.names import called_name

Node = Any
Definitions = dict[str, "Definition"]

SET_OPERATORS: dict[Any, Any] = {exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except"}
_IS_SILENT: dict[type[exp.Expr], bool] = {}  # by class, found once for each
PARAMETERS = frozenset({exp.Parameter})
TABLES = frozenset({exp.Table})


def shape_of(tree: exp.Expr, nodes: Nodes | None = None) -> QueryShape:
    """Return the shape of a query, blocks in the order they can be judged; `nodes` are the tree's if at hand."""
    nodes = nodes or Nodes(tree)
    reader = ShapeReader(clock_literals(nodes))
    root = reader.block_of(tree, {})
    missed = reader.missed(nodes)
    if missed is not None:
        # Whatever it is for, nothing can be said about the whole.
        result = Relation("", "inner", block=root, opaque="subquery", at=place(missed))
        reader.blocks.append(SelectBlock(relations=(result,), outputs=(OutputColumn(name="*", star=""),)))
    parameters = nodes.of(PARAMETERS)
    uses = [RunParameter(name=parameter_name(node), at=place(node)) for node in parameters]
    return QueryShape(blocks=tuple(reader.blocks), parameters=tuple(sorted(uses, key=lambda use: use.at)))


class Definition:
    """A CTE, read when it is first used."""

    __slots__ = ("block", "definitions", "is_open", "node")

    def __init__(self, node: Node, definitions: Definitions) -> None:
        self.node = node
        self.definitions = definitions
        self.block = -1
        self.is_open = False


class ShapeReader:
    """Owns the growing list of blocks of one query."""

    def __init__(self, clock: list[Node]) -> None:
        self.blocks: list[Block] = []
        self.clock = {id(node) for node in clock}
        self._read: set[int] = set()  # ids of the tables and CTEs that are part of a block

    def missed(self, nodes: Nodes) -> Node | None:
        """Return a table that is part of no block although the query reads it."""
        tables = [node for node in nodes.of(TABLES) if id(node) not in self._read and is_named_table(node)]
        return next((node for node in tables if not self._is_idle(node)), None)

    def _is_idle(self, node: Node) -> bool:
        """Return whether a table is only in a hint, or in a CTE that is not read."""
        around = node.parent
        while around is not None:
            if type(around) is exp.Hint or (type(around) is exp.CTE and id(around) not in self._read):
                return True
            around = around.parent
        return False

    def _add(self, block: Block) -> int:
        self.blocks.append(block)
        return len(self.blocks) - 1

    def block_of(self, node: Node, definitions: Definitions) -> int:
        """Read a query expression into a block and return its number."""
        definitions = self._with(node, definitions)
        match node:
            case exp.Select():
                return self._add(self._select(node, definitions))
            case exp.SetOperation():
                return self._set_operation(node, definitions)
            case exp.Subquery() | exp.Paren():
                return self._wrapped(node, definitions)
            case exp.Table():
                return self._add(self._over(node, definitions))
            case exp.Values():
                return self._add(self._values(node, definitions))
            case _:
                return self._add(SelectBlock(opaque=node.key, at=place(node)))

    def _with(self, node: Node, definitions: Definitions) -> Definitions:
        clause = node.args.get("with_")
        if clause is None:
            return definitions
        visible = dict(definitions)
        for item in clause.expressions:
            own = Definition(item, dict(visible))
            if clause.args.get("recursive"):
                own.definitions[item.alias.lower()] = own
            visible[item.alias.lower()] = own
        return visible

    def _wrapped(self, node: Node, definitions: Definitions) -> int:
        has_own_clauses = any(
            node.args.get(key) for key in ("limit", "offset", "joins", "laterals", "pivots", "sample", "where")
        )
        if not has_own_clauses:
            return self.block_of(node.this, definitions)
        return self._add(self._over(node, definitions))

    def _over(self, node: Node, definitions: Definitions) -> SelectBlock:
        """Read a bracketed join, or a bracketed query with clauses of its own, as `SELECT * FROM` it."""
        relations = [self._relation(node, definitions), *self._joins(node, definitions)]
        relations += [self._generator(item) for item in node.args.get("laterals") or ()]
        reading = _Expressions(node)
        reading.read(self, definitions, clauses_over(node))
        where = node.args.get("where")
        return SelectBlock(
            relations=tuple(relations),
            where=condition_of(where.this if where else None),
            outputs=(OutputColumn(name="*", star=""),),
            functions=tuple(reading.functions),
            windows=tuple(reading.windows),
            subqueries=tuple(reading.subqueries),
            limit=_limit(node),
            loose_bounds=tuple(reading.loose_bounds),
            at=place(node),
        )

    def _values(self, node: Node, definitions: Definitions) -> SelectBlock:
        reading = _Expressions(node)
        reading.read(self, definitions, ((item, False) for item in node.expressions))
        first = node.expressions[0] if node.expressions else None
        width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        return SelectBlock(
            outputs=tuple(OutputColumn(name=f"col{number}") for number in range(1, width + 1)),
            functions=tuple(reading.functions),
            subqueries=tuple(reading.subqueries),
            loose_bounds=tuple(reading.loose_bounds),
            at=place(node),
        )

    def _set_operation(self, node: Node, definitions: Definitions) -> int:
        kind, is_distinct, is_by_name = type(node), bool(node.args.get("distinct")), bool(node.args.get("by_name"))
        branches = [node.expression]
        left = node.this
        while (
            type(left) is kind
            and kind is not exp.Except
            and bool(left.args.get("distinct")) == is_distinct
            and bool(left.args.get("by_name")) == is_by_name
            and not any(left.args.get(key) for key in ("with_", "limit", "offset"))
        ):
            branches.append(left.expression)
            left = left.this
        numbers = tuple(self.block_of(item, definitions) for item in (left, *reversed(branches)))
        return self._add(
            SetBlock(
                operator=SET_OPERATORS[kind],
                is_distinct=is_distinct,
                is_by_name=is_by_name,
                branches=numbers,
                limit=_limit(node),
                at=place(node.expression),
            )
        )

    def _select(self, node: Node, definitions: Definitions) -> SelectBlock:
        start = node.args.get("from_")
        relations = [self._relation(start.this, definitions)] if start else []
        relations += self._joins(start.this, definitions) if start else []
        relations += self._joins(node, definitions)
        relations += [self._generator(item) for item in laterals(node)]
        reading = _Expressions(node)
        reading.read(self, definitions, clauses(node))
        group, having = node.args.get("group"), node.args.get("having")
        outputs = tuple(output_of(item) for item in node.expressions)
        where = node.args.get("where")
        return SelectBlock(
            relations=tuple(relations),
            where=condition_of(where.this if where else None),
            outputs=outputs,
            # Without GROUP BY, HAVING alone makes one group of all rows.
            keys=keys_of(group, node, outputs) if group else () if having else None,
            has_grouping_sets=has_grouping_sets(group),
            functions=tuple(reading.functions),
            windows=tuple(reading.windows),
            subqueries=tuple(reading.subqueries),
            distinct=place(node.expressions[0]) if node.args.get("distinct") and node.expressions else None,
            limit=_limit(node),
            grouped_at=place(group or having) if group or having else None,
            loose_bounds=tuple(reading.loose_bounds),
            opaque="transform" if any(isinstance(item, exp.QueryTransform) for item in node.expressions) else "",
            at=place(node.expressions[0]) if node.expressions else NOWHERE,
        )

    def _joins(self, node: Node, definitions: Definitions) -> list[Relation]:
        return [self._joined(join, definitions) for join in node.args.get("joins") or ()]

    def _joined(self, join: Node, definitions: Definitions) -> Relation:
        right = join.this
        if right.args.get("joins") or right.args.get("laterals"):
            relation = Relation("", "inner", block=self._add(self._over(right, definitions)), at=place(right))
        else:
            relation = self._relation(right, definitions)
        if relation.join == "generator" and _join_kind(join) in ("inner", "left"):
            return relation
        return relation.replace(
            join=_join_kind(join),
            on=condition_of(join.args.get("on")),
            using=tuple(item.name.lower() for item in join.args.get("using") or ()),
            is_natural=str(join.args.get("method") or "").upper() == "NATURAL",
        )

    def _relation(self, node: Node, definitions: Definitions) -> Relation:
        alias = node.alias_or_name.lower()
        names = _alias_columns(node)
        opaque = _opaque_clause(node)
        match node:
            case exp.Table() if is_named_table(node):
                table = self._table(node, definitions)
                return table.replace(alias=alias, columns=names, opaque=opaque or table.opaque)
            case exp.Subquery() | exp.Paren():
                inner = self._inside(node, definitions)
                return Relation(alias, "inner", block=inner, columns=names, opaque=opaque, at=place(node))
            case exp.Lateral() if isinstance(node.this, exp.Query):
                return Relation(
                    alias, "inner", block=self.block_of(node.this, definitions), columns=names, at=place(node)
                )
            case exp.Values():
                return Relation(alias, "inner", block=self.block_of(node, definitions), columns=names, at=place(node))
            case exp.Lateral() | exp.Unnest():
                return self._generator(node)
            case exp.Table():
                return Relation(alias, "inner", columns=names, opaque=opaque, at=place(node))
            case _:
                return Relation(alias, "inner", opaque=node.key, at=place(node))

    def _inside(self, node: Node, definitions: Definitions) -> int:
        definitions = self._with(node, definitions)
        inner = node.this
        if isinstance(inner, exp.Table) or not node.args.get("limit"):
            return self.block_of(inner, definitions)
        return self._add(
            SelectBlock(
                relations=(Relation("", "inner", block=self.block_of(inner, definitions)),),
                outputs=(OutputColumn(name="*", star=""),),
                limit=_limit(node),
                at=place(inner),
            )
        )

    def _generator(self, node: Node) -> Relation:
        return Relation(node.alias.lower(), "generator", columns=_alias_columns(node), at=place(node))

    def _table(self, node: Node, definitions: Definitions) -> Relation:
        self._read.add(id(node))
        written = ".".join(part.name for part in node.parts)
        definition = definitions.get(written.lower()) if not node.args.get("db") else None
        if definition is None:
            return Relation("", "inner", table=written, at=place(node.this))
        if definition.is_open:
            return Relation("", "inner", opaque="recursive", at=place(node.this))
        if definition.block < 0:
            definition.is_open = True
            self._read.add(id(definition.node))
            block = self.block_of(definition.node.this, definition.definitions)
            definition.is_open = False
            names = _alias_columns(definition.node)
            definition.block = self._renamed(block, names) if names else block
        return Relation("", "inner", block=definition.block, at=place(node.this))

    def _renamed(self, block: int, names: tuple[str, ...]) -> int:
        source = Relation("", "inner", block=block, columns=names)
        return self._add(SelectBlock(relations=(source,), outputs=(OutputColumn(name="*", star=""),)))


class _Expressions:
    """Owns what the expressions of one SELECT mention."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.functions: list[FunctionUse] = []
        self.windows: list[Window] = []
        self.subqueries: list[Subquery] = []
        self.loose_bounds: list[At] = []
        self.named = {item.this.name.lower(): item for item in node.args.get("windows") or () if item.this}

    def read(self, reader: ShapeReader, definitions: Definitions, clauses: Iterable[tuple[Node, bool]]) -> None:
        """Read clauses, each with whether it is WHERE or ON; bounds are loose outside of these."""
        for clause, is_condition in clauses:
            if type(clause) is exp.Column or (type(clause) is exp.Alias and type(clause.this) is exp.Column):
                continue
            for item in own_nodes(clause):
                if reader.clock and id(item) in reader.clock:
                    self.functions.append(FunctionUse("volatile", literal_name(item), place(item)))
                kind = type(item)
                if _IS_SILENT[kind] if kind in _IS_SILENT else _is_silent(kind):
                    continue
                if isinstance(item, exp.Parameter):
                    if not is_condition and is_bound(item):
                        self.loose_bounds.append(place(item))
                    continue
                self._read(item, reader, definitions)

    def _read(self, item: Node, reader: ShapeReader, definitions: Definitions) -> None:
        if isinstance(item, (exp.Func, exp.Any)):
            kinds = kinds_of(item)
            self.functions.extend(FunctionUse(kind, called_name(item), place(item)) for kind in kinds)
        elif isinstance(item, exp.Query):
            self._subquery(item, reader, definitions)
        elif isinstance(item, exp.Window) and not isinstance(item.this, exp.Identifier):
            self.windows.append(window_of(item, self.named))

    def _subquery(self, item: Node, reader: ShapeReader, definitions: Definitions) -> None:
        parent = item.parent
        kind: SubqueryKind = "scalar"
        term = None
        is_filter = isinstance(parent, exp.In) and _is_filter(parent)
        if isinstance(parent, exp.In):
            kind, term = "in", term_of(parent.this)
        elif isinstance(parent, exp.Exists):
            kind = "exists"
        self.subqueries.append(Subquery(kind, reader.block_of(item, definitions), term, place(item), is_filter))


def _is_filter(node: Node) -> bool:
    """Return whether rows for which a condition is unknown are left out like those for which it is false."""
    while isinstance(node.parent, (exp.And, exp.Or, exp.Paren)):
        node = node.parent
    return isinstance(node.parent, (exp.Where, exp.Having, exp.Qualify, exp.Join))


def _is_silent(kind: type[exp.Expr]) -> bool:
    """Return whether nodes of a class say nothing about a query's shape, as most do."""
    if issubclass(kind, (exp.Func, exp.Any)):
        found = is_plain_call(kind)
    else:
        found = not issubclass(kind, (exp.Parameter, exp.Query, exp.Window))
    _IS_SILENT[kind] = found
    return found


def _limit(node: Node) -> Limit | None:
    clause = node.args.get("limit") or node.args.get("offset")
    return Limit(order=order_terms(node.args.get("order")), at=place(clause)) if clause else None


def _join_kind(join: Node) -> JoinKind:
    kind, side = str(join.args.get("kind") or "").upper(), str(join.args.get("side") or "").upper()
    if kind in ("SEMI", "ANTI"):
        return "semi" if kind == "SEMI" else "anti"
    sides: dict[str, JoinKind] = {"LEFT": "left", "RIGHT": "right", "FULL": "full"}
    return sides.get(side, "inner")


def _opaque_clause(node: Node) -> str:
    pivots = node.args.get("pivots") or ()
    if pivots:
        return "unpivot" if pivots[0].args.get("unpivot") else "pivot"
    return "tablesample" if node.args.get("sample") else ""


def _alias_columns(node: Node) -> tuple[str, ...]:
    alias = node.args.get("alias")
    return (
        tuple(item.name.lower() for item in alias.args.get("columns") or ())
        if isinstance(alias, exp.TableAlias)
        else ()
    )
