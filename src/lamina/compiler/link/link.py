"""Evaluate a query object against the schemas of its inputs: columns, types, origins, reads, and what does not fit."""

from collections.abc import Callable, Mapping
from functools import partial

from lamina.compiler.link.lookup import Lookup, Problem
from lamina.compiler.link.rows import ALL, NO_EDGES, LinkedColumn, Rows, opaque_rows
from lamina.compiler.link.set_operations import set_problems, united
from lamina.compiler.link.star_problems import not_grouped, not_left_out
from lamina.compiler.link.visible import Visible, visible_columns
from lamina.compiler.query.generators import generated_columns
from lamina.compiler.query.object import (
    DIRECT,
    EXPRESSION,
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
    ValuesScope,
)
from lamina.compiler.rules import column_count_mismatch
from lamina.compiler.types.infer import evaluate, widen
from lamina.compiler.types.spark_types import UNTYPED, Typed
from lamina.values.schema import UNKNOWN, Schema

TableSchema = Callable[[str], Schema | None]


class Linker:
    """Owns the memory of linking one query: rows of relations and scopes, and the problems met."""

    def __init__(
        self,
        query: QueryObject,
        names: tuple[str, ...],
        *,
        schema: TableSchema,
        parameters: Mapping[str, Typed],
    ) -> None:
        self.query = query
        self.names = names  # of the references, resolved
        self.schema = schema
        self.rows: dict[int, Rows] = {}
        self.done: dict[int, Rows] = {}
        self.lookup = Lookup(query, self._relation, parameters)
        self.grouped = {item.scope: item.keys for item in query.grouped_stars}

    def result(self) -> Rows:
        """Return the rows of the whole query; CTEs first, so that a long chain of them is not a recursion."""
        for number, scope in enumerate(self.query.scopes):
            if scope.parent < 0:
                self.scope(number)
        return self.scope(self.query.root)

    def release(self) -> None:
        """Cut the loop between this and its lookup, so that the rows of a query are freed at once."""
        del self.lookup.rows_of

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
                self.rows[number] = opaque_rows([])  # until it is known: a star in its own arguments names it again
                rows = self._generator(relation)
            case OpaqueRelation():
                rows = opaque_rows([self._relation(item) for item in relation.relations])
                self.rows[number] = rows
                rows.row_reads = rows.row_reads | self.lookup.origins(relation.uses)
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
        tables = frozenset((name,))
        is_open = schema is None
        return Rows(
            columns,
            tables=tables,
            star_reads=tables,
            is_open=is_open,
            open_table=name if is_open else None,
        )

    def _generator(self, relation: GeneratorRelation) -> Rows:
        arguments = [evaluate(program, self.lookup.typed) for program in relation.arguments]
        edges = self.lookup.edges(relation.uses, EXPRESSION)
        columns = generated_columns(relation.function, arguments, relation.columns)
        linked = [LinkedColumn(name, typed, edges) for name, typed in columns or ()]
        return Rows(linked, tables=frozenset(), row_reads=frozenset(edges), is_open=columns is None)

    def _select(self, number: int, scope: SelectScope) -> Rows:
        self.lookup.aliases[number] = {}
        self.lookup.visible[number] = Visible([], hidden=[], is_open=False)
        parts: list[Rows] = []
        for item in scope.relations:
            if not isinstance(self.query.relations[item], TableRelation):
                # A lateral relation sees the ones before it.
                self.lookup.visible[number] = visible_columns(scope, self.rows)
            parts.append(self._relation(item))
        visible = self.lookup.visible[number] = visible_columns(scope, self.rows)
        inner = [self._relation(item) for item in scope.subqueries]
        reads = set().union(*(part.row_reads for part in parts), *(part.row_reads for part in inner))
        reads |= visible.shared_reads
        reads |= self.lookup.origins(scope.filters)
        columns, star_reads, open_parts = self._outputs(number, scope)
        reads |= self.lookup.origins(scope.groups)
        reads |= self.lookup.ordered(number, scope.orders)
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
        )

    def _outputs(self, number: int, scope: SelectScope) -> tuple[list[LinkedColumn], frozenset[str], list[Rows]]:
        """Return the output columns, the tables a star takes whole, and the unknown rows it takes them from."""
        columns: list[LinkedColumn] = []
        starred: list[Rows] = []
        aliases = self.lookup.aliases[number]
        for item in scope.outputs:
            if isinstance(item, Star):
                found, sources = self._star(number, scope, item)
                columns.extend(found)
                starred.extend(sources)
                continue
            column = self._output(item)
            columns.append(column)
            if item.name:
                aliases.setdefault(item.name.lower(), column)
        star_reads = frozenset().union(*(rows.star_reads for rows in starred))
        return columns, star_reads, [rows for rows in starred if rows.is_open]

    def _output(self, item: Output) -> LinkedColumn:
        uses = item.uses
        if len(uses) == 1 and uses[0].kind == DIRECT and uses[0].name:
            found = self.lookup.found(uses[0])
            if found is not None:
                return LinkedColumn(item.name, found.typed, found.edges)
            return LinkedColumn(item.name, UNTYPED, NO_EDGES)
        return LinkedColumn(item.name, evaluate(item.program, self.lookup.typed), self.lookup.edges(uses, DIRECT))

    def _star(self, number: int, scope: SelectScope, item: Star) -> tuple[list[LinkedColumn], list[Rows]]:
        """Return the columns of a star and the rows they come from; a star of nothing known makes all unknown."""
        if item.relation >= 0:
            rows = self._relation(item.relation)
            found, sources = rows.columns, [rows]
        elif item.relation == -1:
            found = self.lookup.visible[number].columns
            sources = [self.rows[relation] for relation in scope.relations if relation not in scope.hidden]
        else:
            found, sources = [], [opaque_rows([self.rows[relation] for relation in scope.relations])]
        left_out = {name.lower() for name in item.left_out}
        kept = [column for column in found if column.name.lower() not in left_out]
        if left_out and not any(rows.is_open for rows in sources):
            self.lookup.problems.extend(not_left_out(item, found))
        if number in self.grouped and not any(rows.is_open for rows in sources):
            self.lookup.problems.extend(not_grouped(item, kept, keys=self.grouped[number], among=scope.relations))
        return kept, sources

    def _set(self, scope: SetScope) -> Rows:
        branches = [self.scope(item) for item in scope.branches]
        tables = frozenset().union(*(branch.tables for branch in branches))
        reads = set().union(*(branch.row_reads for branch in branches))
        star_reads = frozenset().union(*(branch.star_reads for branch in branches))
        counts = tuple(len(branch.columns) for branch in branches)
        if any(branch.is_open for branch in branches) or (len(set(counts)) > 1 and not scope.by_name):
            if not any(branch.is_open for branch in branches):
                odd = next(number for number, count in enumerate(counts) if count != counts[0])
                start = self._output_at(scope.branches[odd], 0)
                self.lookup.problems.append(Problem(start, partial(column_count_mismatch.finding, counts)))
            return opaque_rows(branches)
        columns = united(scope, branches)
        if not scope.is_union_all:
            reads |= {origin for branch in branches for column in branch.columns for origin in column.edges}
            reads |= {(table, ALL) for table in star_reads}
        self.lookup.problems.extend(set_problems(scope, branches, columns=columns, start_of=self._output_at))
        by_name = {column.name.lower(): column for column in columns}
        for use in scope.orders:
            column = by_name.get(use.name.lower())
            reads |= column.edges.keys() if column is not None else set()
        return Rows(columns, tables=tables, row_reads=frozenset(reads), star_reads=star_reads)

    def _output_at(self, number: int, position: int) -> int:
        """Return where an output of a scope is written; the first one if it may come from a star."""
        scope = self.query.scopes[number]
        if not isinstance(scope, SelectScope) or not scope.outputs:
            return 0
        has_star = any(isinstance(item, Star) for item in scope.outputs)
        return scope.outputs[0 if has_star else position].start

    def _values(self, scope: ValuesScope) -> Rows:
        inner = [self._relation(item) for item in scope.subqueries]
        columns: list[LinkedColumn] = []
        for position, name in enumerate(scope.columns):
            cells = [evaluate(row[position], self.lookup.typed) for row in scope.programs if position < len(row)]
            typed = widen(cells) if cells else Typed(UNKNOWN, nullable=True)  # more names than values: Spark refuses it
            columns.append(LinkedColumn(name, Typed(typed.type, typed.nullable), NO_EDGES))
        tables = frozenset().union(*(part.tables for part in inner))
        reads = frozenset().union(*(part.row_reads for part in inner)) | {(table, ALL) for table in tables}
        return Rows(columns, tables=tables, row_reads=reads)

    def shared_names(self) -> tuple[tuple[str, ...], ...]:
        """Return the columns of each join by shared names, in the order of the query."""
        return tuple(
            names for number in sorted(self.lookup.visible) for names in self.lookup.visible[number].shared_names
        )
