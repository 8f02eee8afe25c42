"""The scopes, relations and references of one query while it is walked, and how names find them."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lamina.compiler.query.generators import generator_arguments, generator_name
from lamina.compiler.query.nodes import start_of
from lamina.compiler.query.object import (
    PARAMETER_RELATION,
    EqualColumns,
    FieldUse,
    GeneratorRelation,
    OpaqueRelation,
    OpaqueScope,
    Qualifier,
    QueryRelation,
    Reference,
    Relation,
    Scope,
    SharedColumns,
    TableRelation,
    Use,
)
from lamina.compiler.query.program import expression_program
from lamina.compiler.query.uses import PARAMETERS, Located, UseCollector
from lamina.compiler.types.program_form import Program

Resolve = Callable[[tuple[str, ...]], str]  # a name as written to a full one
Ctes = dict[str, int]  # name in lower case -> scope
OpenQuery = Callable[[exp.Expr, int, Ctes], int]  # a query, the scope around it, the CTEs it sees -> its scope


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
        self.filters: list[Use] = []
        self.locate: Locator | None = None


class Scopes:
    """Owns the growing lists of one query; `open_query` adds the scopes of a query inside this one."""

    def __init__(self, resolve: Resolve, open_query: OpenQuery) -> None:
        self.resolve = resolve
        self.open_query = open_query
        self.references: list[Reference] = []
        self.qualifiers: list[Qualifier] = []
        self.relations: list[Relation] = []
        self.scopes: list[Scope] = []
        self.frames: dict[int, Frame] = {}
        self.numbers: dict[int, int] = {}  # id of the node of a query -> its scope
        self.equal: list[EqualColumns] = []
        self.fields: list[FieldUse] = []
        self.cte_names: list[str] = []
        self.is_sampled = False

    def release(self) -> None:
        """Cut the loops between this, the walk and its frames, so that all of it is freed at once."""
        del self.open_query
        self.frames.clear()

    def new_scope(self, parent: int) -> int:
        """Take a number for a scope that is filled in later."""
        self.scopes.append(OpaqueScope(parent, ()))
        return len(self.scopes) - 1

    def open_frame(self, node: exp.Expr, parent: int, ctes: Ctes) -> Frame:
        """Start the scope of a query whose FROM clause gives names to relations."""
        number = self.numbers[id(node)] = self.new_scope(parent)
        frame = self.frames[number] = Frame(number, parent, ctes)
        return frame

    def add(self, relation: Relation) -> int:
        """Number a relation."""
        self.relations.append(relation)
        return len(self.relations) - 1

    def register(self, relation: Relation, frame: Frame) -> int:
        """Number a relation of a FROM clause and remember its name."""
        number = self.add(relation)
        frame.relations.append(number)
        if relation.alias:
            name = (relation.alias.lower(),)
            # Two relations of one name: neither can be known from the name alone.
            frame.names[name] = -1 if name in frame.names else number
        return number

    def make_optional(self, number: int) -> None:
        """Note that an outer join may put nulls in place of a relation's rows."""
        relation = self.relations[number]
        if not isinstance(relation, OpaqueRelation) and not relation.is_optional:
            self.relations[number] = relation.replace(is_optional=True)

    def collector(self, frame: Frame, windows: dict[str, exp.Expr] | None = None) -> UseCollector:
        """Return what collects the uses of expressions in a scope."""
        return UseCollector(self.locator(frame), lambda node: self._inner_query(node, frame), windows or {})

    def locator(self, frame: Frame) -> "Locator":
        """Return what finds the columns named in a scope."""
        if frame.locate is None:
            frame.locate = Locator(self, frame)
        return frame.locate

    def _inner_query(self, node: exp.Expr, frame: Frame) -> int:
        key = id(node)
        if key not in frame.subqueries:
            scope = self.open_query(node, frame.number, frame.ctes)
            frame.subqueries[key] = self.add(QueryRelation("", scope, is_optional=True))
        return frame.subqueries[key]

    def program(self, expression: Any, frame: Frame) -> Program:
        """Return the type program of an expression of this SELECT."""
        locate = self.locator(frame)
        if type(expression) is exp.Column:
            return locate(expression).program()
        return expression_program(
            expression,
            lambda node: locate(node).program(),
            subquery=lambda node: ("column", self._inner_query(node, frame), ""),
        )

    def generator(
        self, node: exp.Expr, frame: Frame, *, alias: str, columns: tuple[str, ...], is_optional: bool
    ) -> GeneratorRelation | None:
        """Return the relation a row-making function is, or None if it is none that is known."""
        function = generator_name(node)
        if function is None:
            return None
        arguments = tuple(self.program(item, frame) for item in generator_arguments(node))
        uses = self.collector(frame).collect(node)
        return GeneratorRelation(alias, is_optional, columns, function, arguments, uses)

    def relation_named(self, parts: tuple[str, ...], scope: int) -> int | None:
        """Return the relation of a name in a scope or those around it; -1 if two have it."""
        while scope >= 0:
            frame = self.frames.get(scope)
            if frame is not None and parts in frame.names:
                return frame.names[parts]
            scope = frame.parent if frame is not None else self.scopes[scope].parent
        return None

    def note_qualifier(self, node: exp.Column, relation: int | None, size: int) -> None:
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

    def note_fields(self, found: Located) -> Located:
        """Remember the fields of a struct column, for linking knows its type."""
        if found.fields:
            self.fields.append(FieldUse(found.relation, found.name, found.fields, found.start))
        return found


class Locator:
    """Finds where a column of one scope leads, by the names of the FROM clauses around it."""

    __slots__ = ("known", "names", "number", "scopes")

    def __init__(self, scopes: Scopes, frame: Frame) -> None:
        self.scopes = scopes
        self.number = frame.number
        self.names = frame.names
        # By id of the node, which is kept so that it stays taken.
        self.known: dict[int, tuple[exp.Column, Located]] = {}

    def __call__(self, node: exp.Column) -> Located:
        known = self.known.get(id(node))
        if known is None:
            known = self.known[id(node)] = node, self.locate(node)
        return known[1]

    def locate(self, node: exp.Column) -> Located:
        """Find a column without remembering it."""
        unqualified = -1 - self.number
        args = node.args
        qualifier, this = args.get("table"), args["this"]
        if qualifier is None:
            name = "*" if type(this) is exp.Star else this.name
            return Located(unqualified, name, (), this._meta["start"] if this._meta else 0)
        if args.get("db") is None:
            own = self.names.get((qualifier.name.lower(),), -1)
            if own >= 0:
                return Located(own, this.name, (), start_of(node))
            if qualifier.name == PARAMETERS:
                return Located(PARAMETER_RELATION, this.name, (), 0)
        parts = [part.name for part in node.parts]
        for size in range(len(parts) - 1, 0, -1):
            key = tuple(part.lower() for part in parts[:size])
            relation = self.scopes.relation_named(key, self.number)
            if relation is None:
                continue
            self.scopes.note_qualifier(node, relation, size)
            if relation < 0:
                return Located(unqualified, "", (), start_of(node), is_qualifier=True)
            return self.scopes.note_fields(Located(relation, parts[size], tuple(parts[size + 1 :]), start_of(node)))
        return self.scopes.note_fields(
            Located(unqualified, parts[0], tuple(parts[1:]), start_of(node), is_qualifier=True)
        )
