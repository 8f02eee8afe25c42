"""One walk over a query's tree: queries, CTEs, set operations, and the clauses of each SELECT."""

from typing import NamedTuple

from sqlglot import exp

from lamina.compiler.query.conjuncts import conjuncts, equal_columns
from lamina.compiler.query.filled import filled_outputs
from lamina.compiler.query.from_clause import FromClause
from lamina.compiler.query.nodes import column_aliases, ordinals
from lamina.compiler.query.object import (
    OpaqueScope,
    Output,
    QueryRelation,
    SelectScope,
    SetScope,
    Star,
    Use,
    ValuesScope,
)
from lamina.compiler.query.scopes import Ctes, Frame, Resolve, Scopes
from lamina.compiler.query.select_list import SelectList
from lamina.compiler.query.uses import UseCollector

_SET_OPERATORS = {exp.Union: "union", exp.Except: "except", exp.Intersect: "intersect"}


class Suspect(NamedTuple):
    """A SELECT whose functions and groups are worth a second look; nearly all are not."""

    select: exp.Select
    scope: int
    relations: frozenset[str]  # the names in FROM
    is_folded: bool  # by GROUP BY, or perhaps by an aggregate
    has_star: bool
    may_misplace: bool  # an aggregate or window function, where Spark refuses it


class Walk:
    """Walks a query from the outside in; `scopes` holds what it found."""

    def __init__(self, resolve: Resolve) -> None:
        self.scopes = Scopes(resolve, self.query)
        self.suspects: list[Suspect] = []

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
        frame = self.scopes.open_frame(node, parent, ctes)
        for table in node.find_all(exp.Table):
            FromClause(self.scopes, frame).relation(table, is_optional=False)
        self.scopes.scopes[frame.number] = OpaqueScope(parent, tuple(frame.relations))
        return frame.number

    def _with(self, node: exp.Expr, parent: int, ctes: Ctes) -> Ctes:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        ctes = dict(ctes)
        for cte in clause.expressions:
            name = cte.alias.lower()
            self.scopes.cte_names.append(name)
            columns = column_aliases(cte)
            inner = ctes
            if clause.args.get("recursive"):
                itself = self.scopes.new_scope(parent)
                inner = {**ctes, name: itself}
            scope = self.query(cte.this, parent, inner)
            if clause.args.get("recursive") and isinstance(self.scopes.scopes[scope], SetScope):
                # A row of one round decides about rows of the next: every column counts.
                self.scopes.scopes[scope] = self.scopes.scopes[scope].replace(is_union_all=False)
            ctes[name] = self._renamed(scope, parent, columns) if columns else scope
        return ctes

    def _renamed(self, scope: int, parent: int, columns: tuple[str, ...]) -> int:
        """Wrap a scope in one that selects everything from it under other names."""
        number = self.scopes.new_scope(parent)
        relation = self.scopes.add(QueryRelation("", scope, is_optional=False, columns=columns))
        self.scopes.scopes[number] = _projection(parent, relation)
        return number

    def _wrapped(self, node: exp.Subquery, parent: int, ctes: Ctes) -> int:
        inner = node.this
        if isinstance(inner, exp.Table):
            frame = self.scopes.open_frame(node, parent, ctes)
            FromClause(self.scopes, frame).relation(inner, is_optional=False)
            self.scopes.scopes[frame.number] = self._finish(frame, (Star(-1, 0),))
            return frame.number
        scope = self.query(inner, parent, ctes)
        if not any(node.args.get(key) for key in ("order", "limit", "offset", "sort")):
            return scope
        frame = self.scopes.open_frame(node, parent, ctes)
        frame.relations.append(self.scopes.add(QueryRelation("", scope, is_optional=False)))
        orders, deciding = self._orders(node, self.scopes.collector(frame))
        self.scopes.scopes[frame.number] = self._finish(frame, (Star(-1, 0),), orders=orders, deciding=deciding)
        return frame.number

    def _set_operation(self, node: exp.SetOperation, parent: int, ctes: Ctes) -> int:
        number = self.scopes.new_scope(parent)
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
        frame = self.scopes.frames[number] = Frame(number, parent, ctes)
        frame.relations.append(self.scopes.add(QueryRelation("", scopes[0], is_optional=False)))
        orders, _ = self._orders(node, self.scopes.collector(frame))
        has_limit = node.args.get("limit") is not None or node.args.get("offset") is not None
        self.scopes.scopes[number] = SetScope(
            parent, scopes, is_union_all and not has_limit, by_name, orders, tuple(reversed(operators))
        )
        return number

    def _values(self, node: exp.Values, parent: int, ctes: Ctes) -> int:
        frame = self.scopes.open_frame(node, parent, ctes)
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
        width = len(rows[0]) if rows else 0
        names = column_aliases(node) or tuple(f"col{index + 1}" for index in range(width))
        programs = tuple(tuple(self.scopes.program(item, frame) for item in row) for row in rows)
        collector = self.scopes.collector(frame)
        for row in rows:
            for item in row:
                collector.collect(item)
        self.scopes.scopes[frame.number] = ValuesScope(parent, names, programs, tuple(frame.subqueries.values()))
        return frame.number

    def _select(self, node: exp.Select, parent: int, ctes: Ctes) -> int:
        frame = self.scopes.open_frame(node, parent, ctes)
        FromClause(self.scopes, frame).read(node)
        windows = {item.name.lower(): item for item in node.args.get("windows") or ()}
        collector = self.scopes.collector(frame, windows)
        where = node.args.get("where")
        if where is not None:
            frame.filters.extend(collector.collect(where))
            collector.may_be_misplaced = not collector.is_row_local
            parts = conjuncts(where.this)
            locate = self.scopes.locator(frame)
            self.scopes.equal.extend(equal_columns(parts, locate))
        outputs = SelectList(self.scopes, frame, collector).outputs(node)
        groups, group_outputs = self._groups(node, frame, collector)
        orders, order_outputs = self._orders(node, collector)
        if parent < 0:  # inside other queries a name may be that of an outer column
            self._suspect(node, frame, collector, outputs)
        decides_all = group_outputs is None or order_outputs is None or node.args.get("distinct") is not None
        self.scopes.scopes[frame.number] = self._finish(
            frame,
            outputs,
            groups=groups,
            orders=orders,
            deciding=None if decides_all else (*(group_outputs or ()), *(order_outputs or ())),
            filled=filled_outputs(node) if parent < 0 else (),
        )
        return frame.number

    def _suspect(
        self, node: exp.Select, frame: Frame, collector: UseCollector, outputs: tuple[Output | Star, ...]
    ) -> None:
        is_folded = node.args.get("group") is not None or collector.may_aggregate
        may_misplace = collector.may_be_misplaced or _has_odd_groups(node)
        if is_folded or may_misplace:
            names = frozenset(part for name in frame.names for part in name)
            has_star = any(type(item) is Star for item in outputs)
            self.suspects.append(Suspect(node, frame.number, names, is_folded, has_star, may_misplace))

    def _finish(
        self,
        frame: Frame,
        outputs: tuple[Output | Star, ...],
        *,
        groups: tuple[Use, ...] = (),
        orders: tuple[Use, ...] = (),
        deciding: tuple[int, ...] | None = (),
        filled: tuple[str, ...] = (),
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
            filled,
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
                    self.scopes.make_optional(relation)  # subtotals have nulls in place of keys
            uses.extend(collector.collect(group))
            numbers.extend(ordinals(group.expressions))
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
        return uses, tuple(ordinals(keys))

    def _clauses(self, node: exp.Expr, collector: UseCollector, names: tuple[str, ...]) -> tuple[Use, ...]:
        found: list[Use] = []
        for name in names:
            clause = node.args.get(name)
            if isinstance(clause, exp.Expr):
                found.extend(collector.collect(clause))
        return tuple(found)


def _has_odd_groups(node: exp.Select) -> bool:
    """Return whether groups are chosen, or made by more than columns: only then can a function be wrong there."""
    group = node.args.get("group")
    if node.args.get("having") is not None:
        return True
    return group is not None and any(type(key) is not exp.Column for key in group.expressions)


def _projection(parent: int, relation: int) -> SelectScope:
    return SelectScope(parent, (relation,), (), (), (Star(-1, 0),), (), (), (), (), ())
