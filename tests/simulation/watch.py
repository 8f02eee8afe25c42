"""What a reader sees while a run works: nothing of a stage, and each slice wholly old or wholly new."""

from collections import Counter
from dataclasses import replace
from datetime import datetime

from tests.simulation.algebra import Relation, Row
from tests.simulation.history_oracle import expected_history
from tests.simulation.lake import Metadata, bag
from tests.simulation.oracle import difference, given_by, is_read_by_time, lost_without, rows_in, saved_rows
from tests.simulation.project import FILES
from tests.simulation.row_writes import aligned
from tests.simulation.time_oracle import saved_times
from tests.simulation.world import World

from lamina.compiler.graph import Graph
from lamina.project.strategy import FullRefresh
from lamina.values.coverage import Mark
from lamina.values.names import QUARANTINE, TableName


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
        self._models = {str(model.name): model for model in graph.models}
        self._seen = self._look()
        self.is_fenced = False  # another run has taken over the lease that this one holds
        self.violations: list[Violation] = []

    def __call__(self, passed: str) -> None:
        """Look, and keep what is wrong: raised here, it would look like a failing step."""
        if passed == "lease.after":
            self.is_fenced = False  # a retry takes one lease to ask and another one to run
        try:
            self._compare(passed)
        except Violation as violation:
            self.violations.append(violation)

    def _compare(self, passed: str) -> None:
        """Compare with what was visible at the failpoint before."""
        now = self._look()
        if passed == "rename.after":
            self._check_only_names(now)
        moved = sorted(table for table in self._models if now.get(table) != self._seen.get(table))
        if moved and passed != "publish.after":
            raise Violation(f"I2 {moved} moved before it was published, at {passed}")
        if moved and self.is_fenced:
            raise Violation(f"I5 {moved} was published by a run that lost its lease")
        if len(moved) > 1:
            raise Violation(f"I2 {moved} moved by one publish")
        self._check_beside(now, moved)
        for table in moved:
            self._check_slices(table, before=self._readable(self._seen.get(table)), after=self._metadata(now[table]))
        self._seen = now

    def _check_only_names(self, now: dict[str, str]) -> None:
        """Take in tables whose marks have other names: their versions are the same."""
        for table, pointer in now.items():
            before, after = self._metadata(self._seen.get(table)), self._metadata(pointer)
            if before is not None and after is not None and replace(before, mark=after.mark) == after:
                self._seen[table] = pointer

    def _check_beside(self, now: dict[str, str], moved: list[str]) -> None:
        """I2: the quarantine of a table moves together with it, or not at all."""
        for table in self._models:
            beside = f"{table}{QUARANTINE}"
            has_moved = now.get(beside) != self._seen.get(beside)
            if has_moved and table not in moved:
                raise Violation(f"I2 {beside} moved without its table")
            after = self._metadata(now.get(table)) if table in moved else None
            mark = None if after is None else after.mark
            if mark is not None and (mark.coverage.quarantine == mark.commit) != has_moved:
                raise Violation(f"I2 {table} moved, and its quarantine does not belong to it: {mark.commit}")

    def look_again(self) -> None:
        """Take in what outsiders did."""
        self._seen = self._look()

    def _look(self) -> dict[str, str]:
        """Return where the table and the quarantine of each model are, under whatever names."""
        rows = self._world.lake.pointers()
        lake, models = self._world.lake, self._models.items()
        places = {name: lake.place(name, model.target) for name, model in models}
        besides = {f"{name}{QUARANTINE}": lake.quarantine_place(name, model.target) for name, model in models}
        return {name: rows[table] for name, table in {**places, **besides}.items() if table in rows}

    def _metadata(self, pointer: str | None) -> Metadata | None:
        return None if pointer is None else self._world.lake.metadata[pointer]

    def _readable(self, pointer: str | None) -> Metadata | None:
        """Return what a table was before, unless its files are lost: then a new table takes its place."""
        return None if pointer in self._world.lake.lost else self._metadata(pointer)

    def _check_slices(self, table: str, *, before: Metadata | None, after: Metadata | None) -> None:
        """Rows outside the slices of a batch stay as they were."""
        if after is None or after.mark is None:
            raise Violation(f"I2 {table} was published without a mark")
        if before is None and table in self._world.left:
            raise Violation(f"I1 {table} was first built over rows that its files hold")
        if before is not None and before.current not in {snapshot.number for snapshot in after.ancestry()}:
            raise Violation(f"I1 a version of {table} that another writer left was lost")
        if before is not None:
            self._check_not_shrunk(table, before=before, after=after)
            self._check_not_emptied(table, before=before.mark, after=after.mark)
        if self._models[table].traits.versions is not None:
            self._check_history(table, before=before, after=after, mark=after.mark)
        elif before is not None and not self._is_loss_accepted:
            self._check_kept(table, before=before, after=after)
        if before is not None:
            self._check_outside(table, before=before, after=after.head.relation, mark=after.mark)

    def _check_not_shrunk(self, table: str, *, before: Metadata, after: Metadata) -> None:
        """I10: a guarded table that is always built whole never loses more than half of what lamina wrote."""
        model, own = self._models[table], before.head.mark is not None
        is_guarded = model.settings.anomaly.stops and isinstance(model.settings.strategy, FullRefresh) and own
        was, now = len(before.head.relation.rows), len(after.head.relation.rows)
        if is_guarded and 2 * now < was:
            raise Violation(f"I10 {table} shrank from {was} rows to {now}, and such batches are to be refused")

    def _check_not_emptied(self, table: str, *, before: Mark | None, after: Mark) -> None:
        """I10: no table that was built from files is built from an empty listing that was never accepted."""
        manifests, source = self._world.lake.manifests, TableName(FILES.name)
        was = None if before is None else before.pins.get(source)
        now = after.pins.get(source)
        is_emptied = was is not None and now is not None and manifests[was] and not manifests[now]
        if is_emptied and not self._world.has_accepted_empty:
            raise Violation(f"I10 {table} was emptied by a listing that came back empty")

    def _check_outside(self, table: str, *, before: Metadata, after: Relation, mark: Mark) -> None:
        """I1, I2: rows outside the slices of a batch stay, as they were or as lamina left them; a loss is accepted."""
        columns = tuple(name for name in after.columns if name in before.head.relation.columns)
        own = next((step for step in before.ancestry() if step.mark is not None), before.head)
        there = self._outside(after, columns, table, mark)
        known = [self._outside(step.relation, columns, table, mark) for step in (before.head, own)]
        if there not in known and not (self._is_loss_accepted and not there):
            raise Violation(f"I2 {table} changed outside its slices: {known[0]} became {there}")

    def _check_history(self, table: str, *, before: Metadata | None, after: Metadata, mark: Mark) -> None:
        """I1: a history is what it was, with what the run saw in its source, whatever the batch was made for."""
        model, there = self._models[table], after.head.relation
        own = None if before is None else next((step for step in before.ancestry() if step.mark is not None), None)
        given = given_by(self._world.lake, self._graph, self._world.queries[mark.fingerprint], mark.pins)
        at = datetime.fromisoformat(str(mark.coverage.built))
        known = [expected_history(model, None if own is None else own.relation, given, at)]
        if self._is_loss_accepted:
            known.append(expected_history(model, None, given, at))
        if own is not None and own.layout != after.head.layout:
            known.append(own.relation)  # a rewrite looks at no source
        columns = there.columns if self._is_from_nothing else ()
        names = [columns or tuple(dict.fromkeys((*there.columns, *item.columns))) for item in known]
        pairs = [(bag(aligned(item, name)), bag(aligned(there, name))) for item, name in zip(known, names, strict=True)]
        if not any(expected == actual for expected, actual in pairs):
            raise Violation(f"I1 the history of {table} is not what runs saw: {difference(*pairs[0])}")

    def _check_kept(self, table: str, *, before: Metadata, after: Metadata) -> None:
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
        if is_read_by_time(builder):
            saved = saved_times(lake, self._graph, queries, builder, own, mark.pins)
        else:
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

    def _outside(self, relation: Relation, columns: tuple[str, ...], table: str, mark: Mark) -> Counter[Row]:
        rows = bag(relation)
        for span in mark.slices:
            rows -= rows_in(relation, self._models[table], span)
        return bag(aligned(Relation(relation.columns, tuple(rows.elements())), columns))
