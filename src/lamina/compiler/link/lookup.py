"""Find the columns that a query's uses mean among the rows linked so far, and note the uses that mean nothing."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple, Protocol

from lamina.compiler.link.reads import Origin
from lamina.compiler.link.rows import ALL, Edges, LinkedColumn, Rows, merge_edges
from lamina.compiler.link.visible import Visible
from lamina.compiler.query.object import EXPRESSION, PARAMETER_RELATION, Output, QueryObject, SelectScope, Use
from lamina.compiler.rules import ambiguous_column, unknown_column, unknown_relation
from lamina.compiler.types.spark_types import UNTYPED, Typed
from lamina.values.diagnostic import Diagnostic, Place

RowsOf = Callable[[int], Rows]  # the rows of a relation


class Finding(Protocol):
    """The words of a rule about one problem, but for its place."""

    def __call__(self, *, place: Place) -> Diagnostic:
        """Return the finding at a place."""


# Words Spark reads without brackets, columns a table has beside its schema, and those named after a grouping function.
PSEUDO_COLUMNS = frozenset(
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
        "session_window",
        "user",
        "window",
    )
)


class Problem(NamedTuple):
    """Something in the query that does not fit the schemas it reads."""

    start: int
    finding: Finding  # by the rule it breaks


class Lookup:
    """Owns what each scope shows: its visible columns, its outputs so far, and the problems met."""

    def __init__(self, query: QueryObject, rows_of: RowsOf, parameters: Mapping[str, Typed]) -> None:
        self.query = query
        self.rows_of = rows_of
        self.parameters = parameters
        self.problems: list[Problem] = []
        self.visible: dict[int, Visible] = {}
        self.aliases: dict[int, dict[str, LinkedColumn]] = {}

    def typed(self, relation: int, name: str) -> Typed:
        """Return the type of a column for a type program."""
        if relation == PARAMETER_RELATION:
            return self.parameters.get(name, UNTYPED)
        found = self._search(relation, name)
        return found.typed if found is not None else UNTYPED

    def found(self, use: Use) -> LinkedColumn | None:
        """Return the column of a use; report it if it cannot exist."""
        found = self._search(use.relation, use.name)
        if found is None:
            self._report(use)
        return found

    def _search(self, relation: int, name: str) -> LinkedColumn | None:
        if relation >= 0:
            rows = self.rows_of(relation)
            if name == "":
                deciding = dict.fromkeys(rows.row_reads, EXPRESSION)  # which row it finds is what it says
                edges = merge_edges([*((column.edges, EXPRESSION) for column in rows.columns), (deciding, EXPRESSION)])
                if rows.is_open:
                    edges = {**edges, **rows.everything()}
                kind = rows.columns[0].typed.type if rows.columns and not rows.is_open else UNTYPED.type
                return LinkedColumn("", Typed(kind, nullable=True), edges)
            return self._whole([rows]) if name == ALL else rows.find(name)
        number = -1 - relation
        if name in {ALL, ""}:
            return self._whole([self.rows_of(item) for item in self._relations_of(number)])
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

    def edges(self, uses: Iterable[Use], kind: int) -> Edges:
        """Return the origins of all uses, each at least of that kind."""
        found = ((self.found(use), use) for use in uses)
        return merge_edges((column.edges, max(kind, use.kind)) for column, use in found if column is not None)

    def origins(self, uses: Iterable[Use]) -> set[Origin]:
        """Return the origins of all uses."""
        origins: set[Origin] = set()
        for use in uses:
            found = self.found(use)
            if found is not None:
                origins |= found.edges.keys()
        return origins

    def ordered(self, number: int, uses: Iterable[Use]) -> set[Origin]:
        """Return the origins of the uses of ORDER BY, which looks among the outputs first."""
        origins: set[Origin] = set()
        for use in uses:
            own = self.aliases[number].get(use.name.lower()) if use.relation < 0 else None
            found = own or self.found(use)
            if found is not None:
                origins |= found.edges.keys()
        return origins

    def _report(self, use: Use) -> None:
        if use.name.lower() in PSEUDO_COLUMNS:
            return
        if use.relation >= 0:
            rows = self.rows_of(use.relation)
            known = tuple(column.name for column in rows.columns)
            alias = self.query.relations[use.relation].alias
            finding = partial(unknown_column.finding, use.name, relation=alias or None, known=known)
            self.problems.append(Problem(use.start, finding))
            return
        known = tuple(column.name for column in self._all_visible(-1 - use.relation))
        rule = unknown_relation.finding if use.is_qualifier else unknown_column.finding_without_relation
        self.problems.append(Problem(use.start, partial(rule, use.name, known=known)))

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
                        yield Problem(use.start, partial(ambiguous_column.finding, use.name, relations=aliases))
