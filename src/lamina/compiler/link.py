"""Evaluate a query object against the schemas of its inputs: columns, types, origins, reads, and what does not fit."""

from collections.abc import Callable, Iterable, Mapping

from lamina.compiler.coercion import is_null_after_cast
from lamina.compiler.generators import generated_columns
from lamina.compiler.infer import evaluate, widen
from lamina.compiler.object import (
    DIRECT,
    EXPRESSION,
    PARAMETER_RELATION,
    GeneratorRelation,
    OpaqueRelation,
    OpaqueScope,
    Output,
    QueryObject,
    QueryRelation,
    SelectScope,
    SetScope,
    Star,
    TableRelation,
    Use,
    ValuesScope,
)
from lamina.compiler.reads import Origin
from lamina.compiler.rows import ALL, NO_EDGES, Edges, LinkedColumn, Occurrence, Rows, merge_edges, opaque_rows
from lamina.compiler.types import UNTYPED, Typed
from lamina.compiler.visible import Visible, visible_columns
from lamina.values.schema import Schema

TableSchema = Callable[[str], Schema | None]

# Words Spark reads without brackets, and columns a table has beside its schema.
_PSEUDO_COLUMNS = frozenset(
    (
        "_deleted",
        "_file",
        "_metadata",
        "_partition",
        "_pos",
        "_spec_id",
        "current_catalog",
        "current_database",
        "current_date",
        "current_path",
        "current_schema",
        "current_time",
        "current_timestamp",
        "current_user",
        "grouping__id",
        "localtimestamp",
        "session_user",
        "user",
    )
)


class Problem:
    """Something in the query that does not fit the schemas it reads."""

    __slots__ = ("code", "facts", "start")

    def __init__(self, code: str, start: int, facts: tuple[str, ...]) -> None:
        self.code = code  # the word of a rule: column, ambiguous, relation, count
        self.start = start
        self.facts = facts


class Linker:
    """Owns the memory of linking one query: rows of relations and scopes, and the problems met."""

    def __init__(
        self,
        query: QueryObject,
        names: tuple[str, ...],
        *,
        schema: TableSchema,
        parameters: Mapping[str, Typed],
        follows_filters: bool,
    ) -> None:
        self.query = query
        self.names = names  # of the references, resolved
        self.schema = schema
        self.parameters = parameters
        self.problems: list[Problem] = []
        self.rows: dict[int, Rows] = {}
        self.done: dict[int, Rows] = {}
        self.visible: dict[int, Visible] = {}
        self.aliases: dict[int, dict[str, LinkedColumn]] = {}
        self.follows_filters = follows_filters

    def result(self) -> Rows:
        """Return the rows of the whole query; CTEs first, so that a long chain of them is no recursion."""
        for number, scope in enumerate(self.query.scopes):
            if scope.parent < 0:
                self.scope(number)
        return self.scope(self.query.root)

    def scope(self, number: int) -> Rows:
        """Return the rows of a scope; a CTE is linked once however often it is read."""
        known = self.done.get(number)
        if known is not None:
            return known
        scope = self.query.scopes[number]
        match scope:
            case SelectScope():
                rows = self._select(number, scope)
            case SetScope():
                rows = self._set(scope)
            case ValuesScope():
                rows = self._values(scope)
            case OpaqueScope():
                rows = opaque_rows([self._relation(item) for item in scope.relations])
        self.done[number] = rows
        return rows

    def _relation(self, number: int) -> Rows:
        known = self.rows.get(number)
        if known is not None:
            return known
        relation = self.query.relations[number]
        match relation:
            case TableRelation():
                rows = self._table(self.names[relation.reference])
            case QueryRelation():
                rows = self.scope(relation.scope)
            case GeneratorRelation():
                rows = self._generator(relation)
            case OpaqueRelation():
                rows = opaque_rows([self._relation(item) for item in relation.relations])
                self.rows[number] = rows  # a star in its own arguments names it again
                rows.row_reads = rows.row_reads | self._origins(relation.uses)
        if not isinstance(relation, (OpaqueRelation, GeneratorRelation)) and relation.columns:
            rows = rows.renamed(relation.columns)
        if not isinstance(relation, OpaqueRelation) and relation.is_optional:
            rows = rows.optional()
        self.rows[number] = rows
        return rows

    def _table(self, name: str) -> Rows:
        schema = self.schema(name)
        columns = [
            LinkedColumn(item.name, Typed(item.type, item.nullable), {(name, item.name): DIRECT})
            for item in schema or ()
        ]
        occurrences = (Occurrence(name, None, None),) if self.follows_filters else ()
        tables = frozenset((name,))
        is_open = schema is None
        return Rows(
            columns,
            tables=tables,
            star_reads=tables,
            is_open=is_open,
            open_table=name if is_open else None,
            occurrences=occurrences,
        )

    def _generator(self, relation: GeneratorRelation) -> Rows:
        arguments = [evaluate(program, self.lookup) for program in relation.arguments]
        edges = self._edges(relation.uses, EXPRESSION)
        columns = generated_columns(relation.function, arguments, relation.columns)
        linked = [LinkedColumn(name, typed, edges) for name, typed in columns or ()]
        return Rows(linked, tables=frozenset(), row_reads=frozenset(edges), is_open=columns is None)

    def _select(self, number: int, scope: SelectScope) -> Rows:
        self.aliases[number] = {}
        self.visible[number] = Visible([], hidden=[], is_open=False)
        parts: list[Rows] = []
        for item in scope.relations:
            parts.append(self._relation(item))
            # A lateral relation sees the ones before it.
            self.visible[number] = visible_columns(scope, self.rows)
        visible = self.visible[number]
        inner = [self._relation(item) for item in scope.subqueries]
        reads = set().union(*(part.row_reads for part in parts), *(part.row_reads for part in inner))
        reads |= visible.shared_reads
        reads |= self._origins(scope.filters)
        columns, star_reads, open_parts = self._outputs(number, scope)
        reads |= self._origins(scope.groups)
        reads |= self._ordered(number, scope.orders)
        for position in range(len(columns)) if scope.deciding is None else scope.deciding:
            if position < len(columns):
                reads |= columns[position].edges.keys()
        if scope.deciding is None:
            reads |= {(table, ALL) for table in star_reads}
        tables = frozenset().union(*(part.tables for part in parts), *(part.tables for part in inner))
        only = open_parts[0] if len(open_parts) == 1 else None
        return Rows(
            columns,
            tables=tables,
            row_reads=frozenset(reads),
            star_reads=star_reads,
            is_open=bool(open_parts),
            open_table=only.open_table if only is not None and len(scope.relations) == 1 else None,
            occurrences=self._occurrences(scope, columns, [*inner]) if self.follows_filters else (),
        )

    def _outputs(self, number: int, scope: SelectScope) -> tuple[list[LinkedColumn], frozenset[str], list[Rows]]:
        columns: list[LinkedColumn] = []
        star_reads: set[str] = set()
        open_parts: list[Rows] = []
        aliases = self.aliases[number]
        for item in scope.outputs:
            if isinstance(item, Star):
                self._star(number, item, columns=columns, star_reads=star_reads, open_parts=open_parts)
                continue
            column = self._output(item)
            columns.append(column)
            if item.name:
                aliases.setdefault(item.name.lower(), column)
        return columns, frozenset(star_reads), open_parts

    def _output(self, item: Output) -> LinkedColumn:
        uses = item.uses
        if len(uses) == 1 and uses[0].kind == DIRECT and uses[0].name:
            found = self._found(uses[0])
            if found is not None:
                return LinkedColumn(item.name, found.typed, found.edges)
            return LinkedColumn(item.name, UNTYPED, NO_EDGES)
        return LinkedColumn(item.name, evaluate(item.program, self.lookup), self._edges(uses, DIRECT))

    def _star(
        self, number: int, item: Star, *, columns: list[LinkedColumn], star_reads: set[str], open_parts: list[Rows]
    ) -> None:
        left_out = {name.lower() for name in item.left_out}
        if item.relation >= 0:
            rows = self._relation(item.relation)
            found, sources = rows.columns, [rows]
        elif item.relation == -1:
            visible = self.visible[number]
            hidden = set(self.query.scopes[number].hidden)  # type: ignore[union-attr]
            found = visible.columns
            relations = [item for item in self.query.scopes[number].relations if item not in hidden]  # type: ignore[union-attr]
            sources = [self.rows[relation] for relation in relations]
        else:
            found, sources = [], [opaque_rows([self.rows[item] for item in self.query.scopes[number].relations])]  # type: ignore[union-attr]
        columns.extend(column for column in found if column.name.lower() not in left_out)
        for rows in sources:
            star_reads |= rows.star_reads
            if rows.is_open:
                open_parts.append(rows)

    def _set(self, scope: SetScope) -> Rows:
        branches = [self.scope(item) for item in scope.branches]
        tables = frozenset().union(*(branch.tables for branch in branches))
        reads = set().union(*(branch.row_reads for branch in branches))
        star_reads = frozenset().union(*(branch.star_reads for branch in branches))
        occurrences = tuple(item for branch in branches for item in self._aligned(branches[0], branch, scope))
        counts = tuple(len(branch.columns) for branch in branches)
        if any(branch.is_open for branch in branches) or (len(set(counts)) > 1 and not scope.by_name):
            if not any(branch.is_open for branch in branches):
                odd = next(number for number, count in enumerate(counts) if count != counts[0])
                start = self._first_output(scope.branches[odd])
                self.problems.append(Problem("count", start, tuple(str(count) for count in counts)))
            return opaque_rows(branches)
        columns = self._united(scope, branches)
        if not scope.is_union_all:
            reads |= {origin for branch in branches for column in branch.columns for origin in column.edges}
            reads |= {(table, ALL) for table in star_reads}
        by_name = {column.name.lower(): column for column in columns}
        for use in scope.orders:
            column = by_name.get(use.name.lower())
            reads |= column.edges.keys() if column is not None else set()
        return Rows(columns, tables=tables, row_reads=frozenset(reads), star_reads=star_reads, occurrences=occurrences)

    def _first_output(self, number: int) -> int:
        scope = self.query.scopes[number]
        return scope.outputs[0].start if isinstance(scope, SelectScope) and scope.outputs else 0

    def _united(self, scope: SetScope, branches: list[Rows]) -> list[LinkedColumn]:
        columns: list[LinkedColumn] = []
        names = [column.name for column in branches[0].columns]
        if scope.by_name:
            known = {name.lower() for name in names}
            names += [
                column.name for branch in branches[1:] for column in branch.columns if column.name.lower() not in known
            ]
            names = list({name.lower(): name for name in reversed(names)}.values())[::-1]
        for position, name in enumerate(names):
            parts = [branch.find(name) if scope.by_name else branch.columns[position] for branch in branches]
            found = [part for part in parts if part is not None]
            typed = widen([part.typed for part in found])
            if len(found) < len(parts):
                typed = Typed(typed.type, nullable=True)
            if set(scope.operators) == {"except"}:
                typed = Typed(typed.type, is_null_after_cast(found[0].typed, typed.type))
                found = found[:1]
            elif set(scope.operators) == {"intersect"}:
                typed = Typed(typed.type, all(is_null_after_cast(part.typed, typed.type) for part in found))
            edges = merge_edges((part.edges, DIRECT) for part in found)
            columns.append(LinkedColumn(name, Typed(typed.type, typed.nullable), edges))
        return columns

    def _aligned(self, first: Rows, branch: Rows, scope: SetScope) -> Iterable[Occurrence]:
        """Yield the places a branch reads, with paths under the names of the first branch."""
        if not scope.is_union_all or scope.by_name or first.is_open or len(first.columns) != len(branch.columns):
            return (item.blocked() for item in branch.occurrences)
        names = {outer.name.lower(): inner.name for outer, inner in zip(first.columns, branch.columns, strict=True)}
        return (
            Occurrence(
                item.table,
                item.filter_column,
                {outer: origin for outer, inner in names.items() if (origin := item.origin(inner)) is not None},
            )
            for item in branch.occurrences
        )

    def _values(self, scope: ValuesScope) -> Rows:
        inner = [self._relation(item) for item in scope.subqueries]
        columns: list[LinkedColumn] = []
        for position, name in enumerate(scope.columns):
            cells = [evaluate(row[position], self.lookup) for row in scope.programs if position < len(row)]
            typed = widen(cells)
            columns.append(LinkedColumn(name, Typed(typed.type, typed.nullable), NO_EDGES))
        tables = frozenset().union(*(part.tables for part in inner))
        reads = frozenset().union(*(part.row_reads for part in inner)) | {(table, ALL) for table in tables}
        return Rows(columns, tables=tables, row_reads=reads)

    def _occurrences(
        self, scope: SelectScope, columns: list[LinkedColumn], inner: list[Rows]
    ) -> tuple[Occurrence, ...]:
        found: list[Occurrence] = []
        for number in scope.relations:
            places = self.rows[number].occurrences
            for bound in scope.exact:
                if bound.relations and number not in bound.relations:
                    continue
                if bound.relation == number or (
                    bound.relation < 0 and self._is_from(bound.relation, bound.name, number)
                ):
                    places = tuple(_filtered(item, bound.name) for item in places)
            found.extend(places if scope.is_plain else [item.blocked() for item in places])
        if scope.is_plain:
            found = [_projected(item, columns) for item in found]
        found.extend(item.blocked() for part in inner for item in part.occurrences)
        return tuple(found)

    def _is_from(self, relation: int, name: str, number: int) -> bool:
        scope = self.query.scopes[-1 - relation]
        if not isinstance(scope, SelectScope):
            return False
        if len(scope.relations) == 1:
            return True
        owners = [item for item in scope.relations if not self.rows[item].is_open and self.rows[item].find(name)]
        return owners == [number] and not any(self.rows[item].is_open for item in scope.relations)

    def shared_names(self) -> tuple[tuple[str, ...], ...]:
        """Return the columns of each join by shared names, in the order of the query."""
        return tuple(names for number in sorted(self.visible) for names in self.visible[number].shared_names)

    def lookup(self, relation: int, name: str) -> Typed:
        """Return the type of a column for a type program."""
        if relation == PARAMETER_RELATION:
            return self.parameters.get(name, UNTYPED)
        found = self._search(relation, name)
        return found.typed if found is not None else UNTYPED

    def _found(self, use: Use) -> LinkedColumn | None:
        """Return the column of a use; report it if it cannot exist."""
        found = self._search(use.relation, use.name)
        if found is None:
            self._report(use)
        return found

    def _search(self, relation: int, name: str) -> LinkedColumn | None:
        if relation >= 0:
            rows = self._relation(relation)
            if name == "":
                edges = merge_edges((column.edges, EXPRESSION) for column in rows.columns)
                if rows.is_open:
                    edges = {**edges, **rows.everything()}
                kind = rows.columns[0].typed.type if rows.columns and not rows.is_open else UNTYPED.type
                return LinkedColumn("", Typed(kind, nullable=True), edges)
            return self._whole([rows]) if name == ALL else rows.find(name)
        number = -1 - relation
        if name in {ALL, ""}:
            return self._whole([self._relation(item) for item in self._relations_of(number)])
        return self._unqualified(number, name)

    def _unqualified(self, number: int, name: str) -> LinkedColumn | None:
        folded = name.lower()
        unknown: list[Rows] = []
        while number >= 0:
            visible = self.visible.get(number)
            if visible is not None:
                found = visible.find(folded)
                if found is None:
                    found = self.aliases[number].get(folded)
                if found is not None:
                    return found
                unknown.extend(visible.open)
            number = self.query.scopes[number].parent
        if not unknown:
            return None
        if len(unknown) == 1:
            return unknown[0].find(name)
        return self._whole(unknown, name=name)

    def _whole(self, parts: list[Rows], *, name: str = ALL) -> LinkedColumn:
        edges = [(column.edges, EXPRESSION) for part in parts if name == ALL for column in part.columns]
        everything = [(part.everything(), EXPRESSION) for part in parts if part.is_open or part.star_reads]
        return LinkedColumn(name, UNTYPED, merge_edges([*edges, *everything]))

    def _relations_of(self, number: int) -> tuple[int, ...]:
        scope = self.query.scopes[number]
        return scope.relations if isinstance(scope, SelectScope) else ()

    def _edges(self, uses: Iterable[Use], kind: int) -> Edges:
        found = ((self._found(use), use) for use in uses)
        return merge_edges((column.edges, max(kind, use.kind)) for column, use in found if column is not None)

    def _origins(self, uses: Iterable[Use]) -> set[Origin]:
        origins: set[Origin] = set()
        for use in uses:
            found = self._found(use)
            if found is not None:
                origins |= found.edges.keys()
        return origins

    def _ordered(self, number: int, uses: Iterable[Use]) -> set[Origin]:
        """ORDER BY looks among the outputs first."""
        origins: set[Origin] = set()
        for use in uses:
            own = self.aliases[number].get(use.name.lower()) if use.relation < 0 else None
            found = own or self._found(use)
            if found is not None:
                origins |= found.edges.keys()
        return origins

    def _report(self, use: Use) -> None:
        if use.name.lower() in _PSEUDO_COLUMNS:
            return
        if use.relation >= 0:
            rows = self._relation(use.relation)
            known = tuple(column.name for column in rows.columns)
            self.problems.append(
                Problem("column", use.start, (use.name, self.query.relations[use.relation].alias, *known))
            )
            return
        known = tuple(column.name for column in self._all_visible(-1 - use.relation))
        self.problems.append(Problem("relation" if use.is_qualifier else "column", use.start, (use.name, "", *known)))

    def _all_visible(self, number: int) -> Iterable[LinkedColumn]:
        while number >= 0:
            visible = self.visible.get(number)
            if visible is not None:
                yield from visible.columns
            number = self.query.scopes[number].parent

    def ambiguities(self) -> Iterable[Problem]:
        """Yield the unqualified names that several relations of their own scope have."""
        for number, scope in enumerate(self.query.scopes):
            if not isinstance(scope, SelectScope) or len(scope.relations) < 2 or number not in self.visible:
                continue
            uses = [
                *scope.filters,
                *scope.groups,
                *(use for item in scope.outputs if isinstance(item, Output) for use in item.uses),
            ]
            for use in uses:
                if use.relation == -1 - number and not use.is_qualifier:
                    owners = self.visible[number].owners(use.name.lower())
                    if len(owners) > 1:
                        aliases = tuple(self.query.relations[owner].alias for owner in owners)
                        yield Problem("ambiguous", use.start, (use.name, *aliases))


def _filtered(item: Occurrence, name: str) -> Occurrence:
    origin = item.origin(name)
    if origin is None or item.filter_column is not None:
        return item
    return Occurrence(item.table, origin, item.path)


def _projected(item: Occurrence, columns: list[LinkedColumn]) -> Occurrence:
    """Follow a place through a projection: what stays a plain column of that table can still be filtered by."""
    path: dict[str, str] = {}
    for column in columns:
        if len(column.edges) == 1:
            (table, name), kind = next(iter(column.edges.items()))
            if table == item.table and kind == DIRECT and name != ALL:
                path[column.name.lower()] = name
    return Occurrence(item.table, item.filter_column, path)
