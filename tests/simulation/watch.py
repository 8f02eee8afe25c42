"""What a reader sees while a run works: nothing of a stage, and each slice wholly old or wholly new."""

from collections import Counter

from tests.simulation.algebra import Row
from tests.simulation.lake import CATALOG, Metadata, bag
from tests.simulation.oracle import rows_in
from tests.simulation.world import World

from lamina.compiler.graph import Graph
from lamina.values.coverage import Mark
from lamina.values.names import TableName
from lamina.warehouse import catalog


class Violation(AssertionError):
    """An invariant does not hold."""


class Watch:
    """Looks at the visible tables at every failpoint; outsiders tell it when they move one."""

    def __init__(self, world: World, graph: Graph) -> None:
        self._world = world
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
            self._check_slices(table, before=self._metadata(self._seen.get(table)), after=self._metadata(now[table]))
        self._seen = now

    def look_again(self) -> None:
        """Take in what outsiders did."""
        self._seen = self._look()

    def _look(self) -> dict[TableName, str]:
        return catalog.pointers(self._world.lake.connection, CATALOG)

    def _metadata(self, pointer: str | None) -> Metadata | None:
        return None if pointer is None else self._world.lake.metadata[pointer]

    def _check_slices(self, table: TableName, *, before: Metadata | None, after: Metadata | None) -> None:
        """Rows outside the slices of a batch stay as they were."""
        if after is None or after.mark is None:
            raise Violation(f"I2 {table} was published without a mark")
        if before is not None and before.current not in {snapshot.number for snapshot in after.ancestry()}:
            raise Violation(f"I1 a version of {table} that somebody else wrote was lost")
        if before is None or before.head.relation.columns != after.head.relation.columns:
            return
        outside = [self._outside(metadata, table, after.mark) for metadata in (before, after)]
        if outside[0] != outside[1]:
            raise Violation(f"I2 {table} changed outside its slices")

    def _outside(self, metadata: Metadata, table: TableName, mark: Mark) -> Counter[Row]:
        relation = metadata.head.relation
        rows = bag(relation)
        for span in mark.slices:
            rows -= rows_in(relation, self._models[table], span)
        return rows
