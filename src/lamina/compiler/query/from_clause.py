"""The FROM clause of one SELECT: every relation, in order, with what joins do to it."""

from sqlglot import exp

from lamina.compiler.query.conjuncts import conjuncts, equal_columns
from lamina.compiler.query.nodes import column_aliases, is_named_table, start_of
from lamina.compiler.query.object import (
    EqualColumns,
    OpaqueRelation,
    QueryRelation,
    Reference,
    SharedColumns,
    TableRelation,
)
from lamina.compiler.query.scopes import Frame, Scopes

MOST_COMPARED = 20  # relations before a USING that may hold its column: more would make long joins quadratic
BEHIND_SAMPLE = -2  # the place for an alias is behind a clause whose end only the tokens show


class FromClause:
    """Fills the frame of one SELECT with its relations."""

    def __init__(self, scopes: Scopes, frame: Frame) -> None:
        self.scopes = scopes
        self.frame = frame

    def read(self, node: exp.Select) -> None:
        """Add the relations of a SELECT."""
        clause = node.args.get("from_")
        if clause is not None:
            self.relation(clause.this, is_optional=False)
        for join in node.args.get("joins") or ():
            self.join(join)
        for lateral in node.args.get("laterals") or ():
            self.relation(lateral, is_optional=bool(lateral.args.get("outer")))

    def join(self, join: exp.Join) -> None:
        """Add a join: its right side, what it shares, and its condition."""
        side, kind = (join.text("side") or "").upper(), (join.text("kind") or "").upper()
        count = len(self.frame.relations)
        if side in {"RIGHT", "FULL"}:
            for number in self.frame.relations:
                self.scopes.make_optional(number)
        self.relation(join.this, is_optional=side in {"LEFT", "FULL"} and kind not in {"SEMI", "ANTI"})
        added = tuple(self.frame.relations[count:])
        if kind in {"SEMI", "ANTI"}:
            self.frame.hidden.extend(added)
        is_natural = (join.text("method") or "").upper() == "NATURAL"
        using = tuple(item.name for item in join.args.get("using") or ())
        if is_natural or using:
            columns = None if is_natural else using
            for number in added[:1]:
                self.frame.shared.append(SharedColumns(number, columns, side == "RIGHT", side == "FULL"))
                self._equal_by_name(join, number, before=self.frame.relations[:count])
        condition = join.args.get("on")
        if condition is None:
            return
        self.frame.filters.extend(self.scopes.collector(self.frame).collect(condition))
        parts = conjuncts(condition)
        locate = self.scopes.locator(self.frame)
        self.scopes.equal.extend(equal_columns(parts, locate))

    def _equal_by_name(self, join: exp.Join, number: int, *, before: list[int]) -> None:
        for item in join.args.get("using") or ():
            start = start_of(item)
            near = before[-MOST_COMPARED:]
            self.scopes.equal.extend(EqualColumns(other, item.name, number, item.name, start) for other in near)

    def relation(self, node: exp.Expr, *, is_optional: bool) -> None:
        """Add one item of a FROM clause, with the joins written inside it."""
        before = len(self.frame.relations)
        if isinstance(node, exp.Table):
            self._table(node, is_optional=is_optional)
        elif isinstance(node, exp.Subquery):
            self._subquery(node, is_optional=is_optional)
        elif isinstance(node, exp.Lateral):
            self._lateral(node, is_optional=is_optional)
        elif isinstance(node, exp.Values):
            scope = self.scopes.open_query(node, self.frame.number, self.frame.ctes)
            self.scopes.register(QueryRelation(node.alias_or_name, scope, is_optional), self.frame)
        else:
            self._opaque(node, inside=())
        for join in node.args.get("joins") or ():
            self.join(join)
        for lateral in node.args.get("laterals") or ():
            self.relation(lateral, is_optional=bool(lateral.args.get("outer")))
        if node.args.get("pivots") or node.args.get("match_recognize"):
            inside = tuple(self.frame.relations[before:])
            del self.frame.relations[before:]
            self._opaque(node, inside=inside)
        if node.args.get("sample"):
            self.scopes.is_sampled = True

    def _opaque(self, node: exp.Expr, *, inside: tuple[int, ...]) -> None:
        uses = self.scopes.collector(self.frame).collect(node) if not inside else ()
        self.scopes.register(OpaqueRelation(node.alias_or_name if not inside else "", inside, uses), self.frame)

    def _table(self, node: exp.Table, *, is_optional: bool) -> None:
        alias = node.alias
        if not is_named_table(node):
            self._function(node, alias=alias or node.this.name, is_optional=is_optional)
            return
        written = node.parts
        parts = tuple([part.name for part in written])
        columns = column_aliases(node)
        scope = self.frame.ctes.get(parts[0].lower()) if len(parts) == 1 else None
        if scope is not None:
            self.scopes.register(QueryRelation(alias or parts[0], scope, is_optional, columns), self.frame)
            return
        start, end = written[0].meta["start"], written[-1].meta["end"] + 1
        alias_at = -1 if alias else BEHIND_SAMPLE if node.args.get("sample") else end
        self.scopes.references.append(Reference(parts, self.scopes.resolve(parts), start, end, alias_at))
        relation = TableRelation(alias or parts[-1], len(self.scopes.references) - 1, is_optional, columns)
        number = self.scopes.register(relation, self.frame)
        if not alias:
            for size in range(2, len(parts) + 1):
                self.frame.names[tuple(part.lower() for part in parts[-size:])] = number

    def _function(self, node: exp.Expr, *, alias: str, is_optional: bool) -> None:
        """Add a function that makes rows; one lamina does not know could make any columns."""
        columns = column_aliases(node)
        relation = self.scopes.generator(node.this, self.frame, alias=alias, columns=columns, is_optional=is_optional)
        if relation is None:
            uses = self.scopes.collector(self.frame).collect(node.this)
            self.scopes.register(OpaqueRelation(alias, (), uses), self.frame)
        else:
            self.scopes.register(relation, self.frame)

    def _subquery(self, node: exp.Subquery, *, is_optional: bool) -> None:
        if isinstance(node.this, exp.Table) and not node.alias:
            before = len(self.frame.relations)
            self.relation(node.this, is_optional=is_optional)
            if is_optional:
                for number in self.frame.relations[before:]:
                    self.scopes.make_optional(number)
            return
        scope = self.scopes.open_query(node, self.frame.parent, self.frame.ctes)
        self.scopes.register(QueryRelation(node.alias, scope, is_optional, column_aliases(node)), self.frame)

    def _lateral(self, node: exp.Lateral, *, is_optional: bool) -> None:
        columns = column_aliases(node)
        if isinstance(node.this, exp.Query):
            scope = self.scopes.open_query(node.this, self.frame.number, self.frame.ctes)
            self.scopes.register(QueryRelation(node.alias, scope, is_optional, columns), self.frame)
            return
        self._function(node, alias=node.alias, is_optional=is_optional)
