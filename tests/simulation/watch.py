"""What a reader sees while a run works: nothing of a stage, and each slice wholly old or wholly new."""

from collections import Counter

from tests.simulation.algebra import Relation, Row
from tests.simulation.lake import Metadata, bag
from tests.simulation.oracle import given_by, lost_without, rows_in, saved_rows
from tests.simulation.project import FILES
from tests.simulation.row_writes import aligned
from tests.simulation.world import World

from lamina.compiler.graph import Graph
from lamina.values.coverage import Mark
from lamina.values.names import TableName


class Violation(AssertionError):
    """An invariant does not hold."""


class Watch:
    """Looks at the visible tables at every failpoint; outsiders tell it when they move one."""

    def __init__(
        self, world: World, graph: Graph, *, is_loss_accepted: bool = False, is_from_nothing: bool = False
    ) -> None:
        self._world = world
        self._graph = graph
        self._is_loss_accepted = is_loss_accepted
        self._is_from_nothing = is_from_nothing  # columns that left their query are dropped
        self._models = {model.target: model for model in graph.models}
        self._seen = self._look()
        self.is_fenced = False  # another run has taken the lease over
        self.violations: list[Violation] = []

    def __call__(self, passed: str) -> None:
        """Look, and keep what is wrong: raised here, it would look like a failing step."""
        try:
            self._compare(passed)
        except Violation as violation:
            self.violations.append(violation)

    def _compare(self, passed: str) -> None:
        """Compare with what was visible at the failpoint before."""
        now = self._look()
        moved = sorted(table for table in self._models if now.get(table) != self._seen.get(table))
        if moved and passed != "publish.after":
            raise Violation(f"I2 {moved} moved before it was published, at {passed}")
        if moved and self.is_fenced:
            raise Violation(f"I5 {moved} was published by a run that lost its lease")
        if len(moved) > 1:
            raise Violation(f"I2 {moved} moved by one publish")
        for table in moved:
            self._check_slices(table, before=self._readable(self._seen.get(table)), after=self._metadata(now[table]))
        self._seen = now

    def look_again(self) -> None:
        """Take in what outsiders did."""
        self._seen = self._look()

    def _look(self) -> dict[TableName, str]:
        return self._world.lake.pointers()

    def _metadata(self, pointer: str | None) -> Metadata | None:
        return None if pointer is None else self._world.lake.metadata[pointer]

    def _readable(self, pointer: str | None) -> Metadata | None:
        """Return what a table was before, unless its files are lost: then a new table takes its place."""
        return None if pointer in self._world.lake.lost else self._metadata(pointer)

    def _check_slices(self, table: TableName, *, before: Metadata | None, after: Metadata | None) -> None:
        """Rows outside the slices of a batch stay as they were."""
        if after is None or after.mark is None:
            raise Violation(f"I2 {table} was published without a mark")
        if before is None and table in self._world.left:
            raise Violation(f"I1 {table} was first built over rows that its files hold")
        if before is not None and before.current not in {snapshot.number for snapshot in after.ancestry()}:
            raise Violation(f"I1 a version of {table} that another writer left was lost")
        if before is not None:
            self._check_not_emptied(table, before=before.mark, after=after.mark)
        if before is not None and not self._is_loss_accepted:
            self._check_kept(table, before=before, after=after)
        if before is not None:
            self._check_outside(table, before=before, after=after.head.relation, mark=after.mark)

    def _check_not_emptied(self, table: TableName, *, before: Mark | None, after: Mark) -> None:
        """I10: no table that was built from files is built from an empty listing that was never accepted."""
        manifests, source = self._world.lake.manifests, TableName(FILES.name)
        was = None if before is None else before.pins.get(source)
        now = after.pins.get(source)
        is_emptied = was is not None and now is not None and manifests[was] and not manifests[now]
        if is_emptied and not self._world.has_accepted_empty:
            raise Violation(f"I10 {table} was emptied by a listing that came back empty")

    def _check_outside(self, table: TableName, *, before: Metadata, after: Relation, mark: Mark) -> None:
        """I1, I2: rows outside the slices of a batch stay, as they were or as lamina left them; a loss is accepted."""
        columns = tuple(name for name in after.columns if name in before.head.relation.columns)
        own = next((step for step in before.ancestry() if step.mark is not None), before.head)
        there = self._outside(after, columns, table, mark)
        known = [self._outside(step.relation, columns, table, mark) for step in (before.head, own)]
        if there not in known and not (self._is_loss_accepted and not there):
            raise Violation(f"I2 {table} changed outside its slices: {known[0]} became {there}")

    def _check_kept(self, table: TableName, *, before: Metadata, after: Metadata) -> None:
        """I1: rows that only the table holds, as lamina left them, are there after every publish."""
        model, mark = self._models[table], after.mark
        own = next((step for step in before.ancestry() if step.mark is not None), None)
        if own is None or own.mark is None or mark is None:
            return
        lake, queries, builder = self._world.lake, self._world.queries, self._world.models[own.mark.fingerprint]
        there = after.head.relation
        # A column that left the query is still there as long as a row that only the table holds has a value in it.
        others = () if self._is_from_nothing else own.relation.columns
        columns = (*there.columns, *(name for name in others if name not in there.columns))
        now = bag(aligned(there, columns))
        saved = saved_rows(lake, self._graph, queries, builder, own.relation, mark.pins)
        if lost := bag(aligned(Relation(own.relation.columns, saved), columns)) - now:
            raise Violation(f"I1 rows that {table} had saved are lost: {sorted(lost, key=repr)}")
        if not model.traits.kept_by:
            return
        query = self._world.queries[mark.fingerprint]
        source = given_by(self._world.lake, self._graph, query, mark.pins)
        kept = lost_without(model, own.relation, source)
        lost = bag(aligned(Relation(own.relation.columns, kept), columns)) - now
        if lost:
            raise Violation(f"I1 rows that only {table} held are lost: {sorted(lost, key=repr)}")

    def _outside(self, relation: Relation, columns: tuple[str, ...], table: TableName, mark: Mark) -> Counter[Row]:
        rows = bag(relation)
        for span in mark.slices:
            rows -= rows_in(relation, self._models[table], span)
        return bag(aligned(Relation(relation.columns, tuple(rows.elements())), columns))
