"""One walk over a query's tree: it numbers scopes and relations and notes what each clause uses."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lamina.compiler.automatic_names import automatic_name
from lamina.compiler.bounds import exact_bounds
from lamina.compiler.generators import generator_arguments, generator_name
from lamina.compiler.object import (
    PARAMETER_RELATION,
    ExactFilter,
    GeneratorRelation,
    OpaqueRelation,
    OpaqueScope,
    Output,
    Qualifier,
    QueryRelation,
    Reference,
    Relation,
    Scope,
    SelectScope,
    SetScope,
    SharedColumns,
    Star,
    TableRelation,
    Use,
    ValuesScope,
)
from lamina.compiler.program import expression_program
from lamina.compiler.program_form import Program
from lamina.compiler.uses import PARAMETERS, Located, UseCollector

Resolve = Callable[[tuple[str, ...]], str]  # a name as written to a full one
Ctes = dict[str, int]  # name in lower case -> scope

BEHIND_SAMPLE = -2  # the place for an alias is behind a clause whose end only the tokens tell

_SET_OPERATORS = {exp.Union: "union", exp.Except: "except", exp.Intersect: "intersect"}


class Frame:
    """The memory of one SELECT while it is walked."""

    def __init__(self, number: int, parent: int, ctes: Ctes) -> None:
        self.number = number
        self.parent = parent
        self.ctes = ctes
        self.relations: list[int] = []
        self.hidden: list[int] = []
        self.shared: list[SharedColumns] = []
        self.names: dict[tuple[str, ...], int] = {}
        self.subqueries: dict[int, int] = {}  # id of the node -> relation
        self.exact: list[ExactFilter] = []
        self.filters: list[Use] = []


class Walk:
    """Owns the growing lists of one query's references, relations and scopes."""

    def __init__(self, resolve: Resolve) -> None:
        self.resolve = resolve
        self.references: list[Reference] = []
        self.qualifiers: list[Qualifier] = []
        self.relations: list[Relation] = []
        self.scopes: list[Scope] = []
        self.frames: dict[int, Frame] = {}
        self.cte_names: list[str] = []
        self.is_sampled = False

    def query(self, node: exp.Expr, parent: int, ctes: Ctes) -> int:
        """Add the scopes of a query and return the number of its outermost one."""
        ctes = self._with(node, parent, ctes)
        if isinstance(node, exp.Subquery):
            return self._wrapped(node, parent, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, parent, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, parent, ctes)
        if isinstance(node, exp.Values):
            return self._values(node, parent, ctes)
        number = self._new_scope(parent)
        frame = self._frame(number, parent, ctes)
        for table in node.find_all(exp.Table):
            self._table(table, frame, is_optional=False)
        self.scopes[number] = OpaqueScope(parent, tuple(frame.relations))
        return number

    def _new_scope(self, parent: int) -> int:
        self.scopes.append(OpaqueScope(parent, ()))
        return len(self.scopes) - 1

    def _frame(self, number: int, parent: int, ctes: Ctes) -> Frame:
        frame = self.frames[number] = Frame(number, parent, ctes)
        return frame

    def _with(self, node: exp.Expr, parent: int, ctes: Ctes) -> Ctes:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        ctes = dict(ctes)
        for cte in clause.expressions:
            name = cte.alias.lower()
            self.cte_names.append(name)
            columns = _column_aliases(cte)
            inner = ctes
            if clause.args.get("recursive"):
                itself = self._new_scope(parent)
                inner = {**ctes, name: itself}
            scope = self.query(cte.this, parent, inner)
            if clause.args.get("recursive") and isinstance(self.scopes[scope], SetScope):
                # A row of one round decides about rows of the next: every column counts.
                self.scopes[scope] = self.scopes[scope].replace(is_union_all=False)
            ctes[name] = self._renamed(scope, parent, columns) if columns else scope
        return ctes

    def _renamed(self, scope: int, parent: int, columns: tuple[str, ...]) -> int:
        """Wrap a scope in one that selects everything from it under other names."""
        number = self._new_scope(parent)
        relation = self._add(QueryRelation("", scope, is_optional=False, columns=columns))
        self.scopes[number] = _projection(parent, relation, plain=True)
        return number

    def _wrapped(self, node: exp.Subquery, parent: int, ctes: Ctes) -> int:
        inner = node.this
        if isinstance(inner, exp.Table):
            number = self._new_scope(parent)
            frame = self._frame(number, parent, ctes)
            self._relation(inner, frame, is_optional=False)
            self.scopes[number] = self._finish(frame, (Star(-1, 0),), plain=False)
            return number
        scope = self.query(inner, parent, ctes)
        if not any(node.args.get(key) for key in ("order", "limit", "offset", "sort")):
            return scope
        number = self._new_scope(parent)
        frame = self._frame(number, parent, ctes)
        frame.relations.append(self._add(QueryRelation("", scope, is_optional=False)))
        orders, deciding = self._orders(node, self._collector(frame, {}))
        is_plain = not any(node.args.get(key) for key in ("limit", "offset"))
        self.scopes[number] = self._finish(frame, (Star(-1, 0),), plain=is_plain, orders=orders, deciding=deciding)
        return number

    def _set_operation(self, node: exp.SetOperation, parent: int, ctes: Ctes) -> int:
        number = self._new_scope(parent)
        branches: list[exp.Expr] = []
        operators: list[str] = []
        rest: exp.Expr = node
        is_union_all = True
        by_name = False
        while isinstance(rest, exp.SetOperation) and (rest is node or rest.args.get("with_") is None):
            branches.append(rest.expression)
            operators.append(_SET_OPERATORS.get(type(rest), "union"))
            is_union_all = is_union_all and isinstance(rest, exp.Union) and not rest.args.get("distinct")
            by_name = by_name or bool(rest.args.get("by_name"))
            rest = rest.this
        branches.append(rest)
        scopes = tuple(self.query(branch, parent, ctes) for branch in reversed(branches))
        frame = self._frame(number, parent, ctes)
        frame.relations.append(self._add(QueryRelation("", scopes[0], is_optional=False)))
        orders, _ = self._orders(node, self._collector(frame, {}))
        has_limit = node.args.get("limit") is not None or node.args.get("offset") is not None
        self.scopes[number] = SetScope(
            parent, scopes, is_union_all and not has_limit, by_name, orders, tuple(reversed(operators))
        )
        return number

    def _values(self, node: exp.Values, parent: int, ctes: Ctes) -> int:
        number = self._new_scope(parent)
        frame = self._frame(number, parent, ctes)
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
        width = len(rows[0]) if rows else 0
        names = _column_aliases(node) or tuple(f"col{index + 1}" for index in range(width))
        programs = tuple(tuple(self.program(item, frame) for item in row) for row in rows)
        collector = self._collector(frame, {})
        for row in rows:
            for item in row:
                collector.collect(item)
        self.scopes[number] = ValuesScope(parent, names, programs, tuple(frame.subqueries.values()))
        return number

    def _select(self, node: exp.Select, parent: int, ctes: Ctes) -> int:
        number = self._new_scope(parent)
        frame = self._frame(number, parent, ctes)
        self._from(node, frame)
        windows = {item.name.lower(): item for item in node.args.get("windows") or ()}
        collector = self._collector(frame, windows)
        where = node.args.get("where")
        if where is not None:
            frame.filters.extend(collector.collect(where))
            frame.exact.extend(
                ExactFilter(relation, name) for relation, name in exact_bounds(where.this, self._locator(frame))
            )
        outputs = self._outputs(node, frame, collector)
        groups, group_outputs = self._groups(node, frame, collector)
        orders, order_outputs = self._orders(node, collector)
        decides_all = group_outputs is None or order_outputs is None or node.args.get("distinct") is not None
        blocking = ("group", "having", "qualify", "distinct", "limit", "offset", "laterals", "windows", "sample")
        is_plain = collector.is_row_local and not any(node.args.get(key) for key in blocking)
        self.scopes[number] = self._finish(
            frame,
            outputs,
            plain=is_plain and len(frame.relations) == 1,
            groups=groups,
            orders=orders,
            deciding=None if decides_all else (*(group_outputs or ()), *(order_outputs or ())),
        )
        return number

    def _finish(
        self,
        frame: Frame,
        outputs: tuple[Output | Star, ...],
        *,
        plain: bool,
        groups: tuple[Use, ...] = (),
        orders: tuple[Use, ...] = (),
        deciding: tuple[int, ...] | None = (),
    ) -> SelectScope:
        return SelectScope(
            frame.parent,
            tuple(frame.relations),
            tuple(frame.hidden),
            tuple(frame.shared),
            outputs,
            tuple(frame.filters),
            groups,
            orders,
            deciding,
            tuple(frame.subqueries.values()),
            tuple(frame.exact),
            plain,
        )

    def _groups(
        self, node: exp.Select, frame: Frame, collector: UseCollector
    ) -> tuple[tuple[Use, ...], tuple[int, ...] | None]:
        """Return the uses of GROUP BY, HAVING and QUALIFY, and the outputs GROUP BY names by number (None: all)."""
        uses: list[Use] = []
        numbers: list[int] = []
        group = node.args.get("group")
        if group is not None:
            if group.args.get("all"):
                return self._clauses(node, collector, ("having", "qualify")), None
            if group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
                for relation in frame.relations:
                    self._make_optional(relation)  # subtotals have nulls in place of keys
            uses.extend(collector.collect(group))
            numbers.extend(_ordinals(group.expressions))
        uses.extend(self._clauses(node, collector, ("having", "qualify")))
        return tuple(uses), tuple(numbers)

    def _orders(self, node: exp.Expr, collector: UseCollector) -> tuple[tuple[Use, ...], tuple[int, ...] | None]:
        order = node.args.get("order")
        uses = self._clauses(node, collector, ("order", "sort", "distribute", "cluster", "limit", "offset"))
        if order is None:
            return uses, ()
        keys = [item.this if isinstance(item, exp.Ordered) else item for item in order.expressions]
        if any(isinstance(key, exp.Var) and key.name.upper() == "ALL" for key in keys):
            return uses, None
        return uses, tuple(_ordinals(keys))

    def _clauses(self, node: exp.Expr, collector: UseCollector, names: tuple[str, ...]) -> tuple[Use, ...]:
        found: list[Use] = []
        for name in names:
            clause = node.args.get(name)
            if isinstance(clause, exp.Expr):
                found.extend(collector.collect(clause))
        return tuple(found)

    def _outputs(self, node: exp.Select, frame: Frame, collector: UseCollector) -> tuple[Output | Star, ...]:
        found: list[Output | Star] = []
        for item in node.expressions:
            star = _star_of(item)
            if star is not None:
                found.append(self._star(item, star, frame))
            elif isinstance(item, exp.Aliases):
                found.extend(self._several(item, frame, collector))
            elif generator_name(item) is not None:
                found.append(self._generated(item, frame, collector))
            else:
                found.append(self._output(item, frame, collector))
        return tuple(found)

    def _output(self, item: exp.Expr, frame: Frame, collector: UseCollector) -> Output:
        uses = collector.collect(item)
        inner = item.this if isinstance(item, exp.Alias) else item
        if isinstance(inner, exp.UDTF):
            frame.filters.extend(uses)  # a generator makes rows
        return Output(output_name(item), self.program(inner, frame), uses, _start(item))

    def _several(self, item: exp.Aliases, frame: Frame, collector: UseCollector) -> list[Output]:
        uses = collector.collect(item.this)
        collector.is_row_local = False
        frame.filters.extend(uses)
        names = tuple(name.name for name in item.expressions)
        relation = self._generator(item.this, frame, alias="", columns=names, is_optional=False)
        if relation is None:
            return [Output(name, ("unknown",), uses, _start(item)) for name in names]
        number = self._add(relation)
        frame.subqueries[-number] = number
        return [Output(name, ("column", number, name), uses, _start(item)) for name in names]

    def _generated(self, item: exp.Expr, frame: Frame, collector: UseCollector) -> Star:
        """Return a row-making function without names as all the columns it gives, which linking will tell."""
        frame.filters.extend(collector.collect(item))
        collector.is_row_local = False
        relation = self._generator(item, frame, alias="", columns=(), is_optional=False)
        assert relation is not None
        number = self._add(relation)
        frame.subqueries[-number] = number
        return Star(number, _start(item))

    def _generator(
        self, node: exp.Expr, frame: Frame, *, alias: str, columns: tuple[str, ...], is_optional: bool
    ) -> GeneratorRelation | None:
        function = generator_name(node)
        if function is None:
            return None
        arguments = tuple(self.program(item, frame) for item in generator_arguments(node))
        uses = self._collector(frame, {}).collect(node)
        return GeneratorRelation(alias, is_optional, columns, function, arguments, uses)

    def _star(self, item: exp.Expr, star: exp.Star, frame: Frame) -> Star:
        left_out = tuple(column.name for column in star.args.get("except_") or ())
        if item is star:
            return Star(-1, _start(item), left_out)
        assert isinstance(item, exp.Column)
        parts = tuple(part.name.lower() for part in item.parts[:-1])
        found = self._relation_named(parts, frame.number)
        self._note_qualifier(item, found, len(parts))
        return Star(-2 if found is None else found, _start(item), left_out)

    def _from(self, node: exp.Select, frame: Frame) -> None:
        clause = node.args.get("from_")
        if clause is not None:
            self._relation(clause.this, frame, is_optional=False)
        for join in node.args.get("joins") or ():
            self._join(join, frame)
        for lateral in node.args.get("laterals") or ():
            self._relation(lateral, frame, is_optional=bool(lateral.args.get("outer")))

    def _join(self, join: exp.Join, frame: Frame) -> None:
        side, kind = (join.text("side") or "").upper(), (join.text("kind") or "").upper()
        count = len(frame.relations)
        if side in {"RIGHT", "FULL"}:
            for number in frame.relations:
                self._make_optional(number)
        self._relation(join.this, frame, is_optional=side in {"LEFT", "FULL"} and kind not in {"SEMI", "ANTI"})
        added = tuple(frame.relations[count:])
        if kind in {"SEMI", "ANTI"}:
            frame.hidden.extend(added)
        is_natural = (join.text("method") or "").upper() == "NATURAL"
        using = tuple(item.name for item in join.args.get("using") or ())
        if is_natural or using:
            columns = None if is_natural else using
            frame.shared.extend(SharedColumns(number, columns, side == "RIGHT", side == "FULL") for number in added[:1])
        condition = join.args.get("on")
        if condition is None:
            return
        frame.filters.extend(self._collector(frame, {}).collect(condition))
        for relation, name in exact_bounds(condition, self._locator(frame)):
            restricted = _restricted(side, kind, tuple(frame.relations[:count]), added)
            if restricted is not None:
                frame.exact.append(ExactFilter(relation, name, restricted))

    def _make_optional(self, number: int) -> None:
        relation = self.relations[number]
        if not isinstance(relation, OpaqueRelation):
            self.relations[number] = relation.replace(is_optional=True)

    def _relation(self, node: exp.Expr, frame: Frame, *, is_optional: bool) -> None:
        """Add one item of a FROM clause, with the joins written inside it."""
        before = len(frame.relations)
        if isinstance(node, exp.Table):
            self._table(node, frame, is_optional=is_optional)
        elif isinstance(node, exp.Subquery):
            self._subquery(node, frame, is_optional=is_optional)
        elif isinstance(node, exp.Lateral):
            self._lateral(node, frame, is_optional=is_optional)
        elif isinstance(node, exp.Values):
            scope = self.query(node, frame.number, frame.ctes)
            self._register(QueryRelation(node.alias_or_name, scope, is_optional), frame)
        else:
            self._opaque(node, frame, inside=())
        for join in node.args.get("joins") or ():
            self._join(join, frame)
        for lateral in node.args.get("laterals") or ():
            self._relation(lateral, frame, is_optional=bool(lateral.args.get("outer")))
        if node.args.get("pivots") or node.args.get("match_recognize"):
            inside = tuple(frame.relations[before:])
            del frame.relations[before:]
            self._opaque(node, frame, inside=inside)
        if node.args.get("sample"):
            self.is_sampled = True

    def _opaque(self, node: exp.Expr, frame: Frame, *, inside: tuple[int, ...]) -> None:
        uses = self._collector(frame, {}).collect(node) if not inside else ()
        self._register(OpaqueRelation(node.alias_or_name if not inside else "", inside, uses), frame)

    def _table(self, node: exp.Table, frame: Frame, *, is_optional: bool) -> None:
        if not isinstance(node.this, exp.Identifier):
            self._function(node, frame, alias=node.alias or node.this.name, is_optional=is_optional)
            return
        parts = tuple(part.name for part in node.parts)
        columns = _column_aliases(node)
        scope = frame.ctes.get(parts[0].lower()) if len(parts) == 1 else None
        if scope is not None:
            self._register(QueryRelation(node.alias or parts[0], scope, is_optional, columns), frame)
            return
        start, end = node.parts[0].meta["start"], node.parts[-1].meta["end"] + 1
        alias_at = -1 if node.alias else BEHIND_SAMPLE if node.args.get("sample") else end
        self.references.append(Reference(parts, self.resolve(parts), start, end, alias_at))
        relation = TableRelation(node.alias or parts[-1], len(self.references) - 1, is_optional, columns)
        number = self._register(relation, frame)
        if not node.alias:
            for size in range(2, len(parts) + 1):
                frame.names[tuple(part.lower() for part in parts[-size:])] = number

    def _function(self, node: exp.Expr, frame: Frame, *, alias: str, is_optional: bool) -> None:
        """Add a function that makes rows; one lamina does not know could make any columns."""
        columns = _column_aliases(node)
        relation = self._generator(node.this, frame, alias=alias, columns=columns, is_optional=is_optional)
        if relation is None:
            uses = self._collector(frame, {}).collect(node.this)
            self._register(OpaqueRelation(alias, (), uses), frame)
        else:
            self._register(relation, frame)

    def _subquery(self, node: exp.Subquery, frame: Frame, *, is_optional: bool) -> None:
        if isinstance(node.this, exp.Table) and not node.alias:
            before = len(frame.relations)
            self._relation(node.this, frame, is_optional=is_optional)
            if is_optional:
                for number in frame.relations[before:]:
                    self._make_optional(number)
            return
        scope = self.query(node, frame.parent, frame.ctes)
        self._register(QueryRelation(node.alias, scope, is_optional, _column_aliases(node)), frame)

    def _lateral(self, node: exp.Lateral, frame: Frame, *, is_optional: bool) -> None:
        columns = _column_aliases(node)
        if isinstance(node.this, exp.Query):
            scope = self.query(node.this, frame.number, frame.ctes)
            self._register(QueryRelation(node.alias, scope, is_optional, columns), frame)
            return
        self._function(node, frame, alias=node.alias, is_optional=is_optional)

    def _add(self, relation: Relation) -> int:
        self.relations.append(relation)
        return len(self.relations) - 1

    def _register(self, relation: Relation, frame: Frame) -> int:
        number = self._add(relation)
        frame.relations.append(number)
        if relation.alias:
            name = (relation.alias.lower(),)
            # Two relations of one name: neither can be told from the name alone.
            frame.names[name] = -1 if name in frame.names else number
        return number

    def _collector(self, frame: Frame, windows: dict[str, exp.Expr]) -> UseCollector:
        return UseCollector(self._locator(frame), lambda node: self._inner_query(node, frame), windows)

    def _inner_query(self, node: exp.Expr, frame: Frame) -> int:
        key = id(node)
        if key not in frame.subqueries:
            scope = self.query(node, frame.number, frame.ctes)
            frame.subqueries[key] = self._add(QueryRelation("", scope, is_optional=True))
        return frame.subqueries[key]

    def program(self, expression: Any, frame: Frame) -> Program:
        """Return the type program of an expression of this SELECT."""
        locate = self._locator(frame)

        def column(node: exp.Column) -> Program:
            if node.text("table") == PARAMETERS:
                return ("column", PARAMETER_RELATION, node.name)
            found = locate(node)
            program: Program = ("column", found.relation, found.name)
            for field in found.fields:
                program = ("field", program, field)
            return program

        return expression_program(
            expression, column, subquery=lambda node: ("column", self._inner_query(node, frame), "")
        )

    def _locator(self, frame: Frame) -> "Locator":
        return Locator(self, frame.number)

    def _relation_named(self, parts: tuple[str, ...], scope: int) -> int | None:
        while scope >= 0:
            frame = self.frames.get(scope)
            if frame is not None and parts in frame.names:
                return frame.names[parts]
            scope = frame.parent if frame is not None else self.scopes[scope].parent
        return None

    def _note_qualifier(self, node: exp.Column, relation: int | None, size: int) -> None:
        """Remember a `schema.` before a column, which must go when the table is replaced by another name."""
        if size < 2 or relation is None or relation < 0:
            return
        target = self.relations[relation]
        if not isinstance(target, TableRelation):
            return
        parts = node.parts
        start, end = parts[0].meta.get("start"), parts[size - 1].meta.get("start")
        if start is not None and end is not None:
            self.qualifiers.append(Qualifier(target.reference, start, end))


class Locator:
    """Finds where a column of one scope leads, by the names of the FROM clauses around it."""

    __slots__ = ("scope", "walk")

    def __init__(self, walk: Walk, scope: int) -> None:
        self.walk = walk
        self.scope = scope

    def __call__(self, node: exp.Column) -> Located:
        unqualified = -1 - self.scope
        if node.args.get("table") is None:
            name = "*" if type(node.this) is exp.Star else node.name
            return Located(unqualified, name, (), start=_start(node), is_qualifier=False)
        parts = [part.name for part in node.parts]
        for size in range(len(parts) - 1, 0, -1):
            key = tuple(part.lower() for part in parts[:size])
            relation = self.walk._relation_named(key, self.scope)
            if relation is None:
                continue
            self.walk._note_qualifier(node, relation, size)
            if relation < 0:
                return Located(unqualified, "", (), start=_start(node), is_qualifier=True)
            return Located(relation, parts[size], tuple(parts[size + 1 :]), start=_start(node), is_qualifier=False)
        return Located(unqualified, parts[0], tuple(parts[1:]), start=_start(node), is_qualifier=True)


def output_name(item: exp.Expr) -> str:
    """Return the name Spark gives an output column, as far as it can be told; an empty one otherwise."""
    if isinstance(item, exp.Alias):
        return item.alias
    if isinstance(item, exp.Column):
        return item.name
    if isinstance(item, exp.Dot):
        return str(item.expression.name)
    return automatic_name(item) or ""


def _projection(parent: int, relation: int, *, plain: bool) -> SelectScope:
    return SelectScope(parent, (relation,), (), (), (Star(-1, 0),), (), (), (), (), (), (), plain)


def _restricted(side: str, kind: str, before: tuple[int, ...], added: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the relations that a condition of a join takes rows from; None: no relation."""
    if side == "FULL":
        return None
    if kind == "ANTI" or (side == "LEFT" and kind != "SEMI"):
        return added
    if side == "RIGHT":
        return before or None
    return (*before, *added)


def _star_of(item: exp.Expr) -> exp.Star | None:
    if isinstance(item, exp.Star):
        return item
    if type(item) is exp.Column and isinstance(item.this, exp.Star):
        return item.this
    return None


def _ordinals(keys: list[exp.Expr]) -> list[int]:
    return [int(key.this) - 1 for key in keys if isinstance(key, exp.Literal) and key.is_int and int(key.this) > 0]


def _column_aliases(node: exp.Expr) -> tuple[str, ...]:
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return ()
    return tuple(column.name for column in alias.args.get("columns") or ())


def _start(node: exp.Expr) -> int:
    """Return where the first identifier of an expression stands; 0 if it has none."""
    if type(node) is exp.Column:
        for key in ("catalog", "db", "table", "this"):
            part = node.args.get(key)
            if part is not None and part._meta:
                return int(part._meta["start"])
        return 0
    alias = node.args.get("alias")
    if isinstance(alias, exp.Identifier) and alias._meta:
        return int(alias._meta["start"])
    return next((int(item._meta["start"]) for item in node.find_all(exp.Identifier) if item._meta), 0)
