"""The quarantines of the memory warehouse: staged beside the batches of their tables, and published with them."""

from tests.simulation.algebra import Relation
from tests.simulation.lake import Lake, Metadata, Snapshot, bag
from tests.simulation.row_writes import aligned, cut_rows, written
from tests.simulation.table_versions import schema_of

from lamina.compiler.graph import CompiledModel
from lamina.planner.quarantine import followed, is_quarantine_of, quarantine_batch
from lamina.values.batch import Batch, CheckResult, Move, Staged
from lamina.values.coverage import Mark
from lamina.values.names import FAILED_CHECKS, TableName, quarantine_of
from lamina.values.touch import Touch
from lamina.warehouse.catalog.port import stage_of
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.iceberg.rediscovery import FoundTable


class MemoryQuarantines:
    """What the memory warehouse does beside its tables."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def stage(
        self, batch: Batch, model: CompiledModel, mark: Mark, bad: Relation, *, home: TableName
    ) -> tuple[Staged, ...]:
        """Write the rows that checks sort out aside, unless nothing changes by that; `home` is of the table."""
        name, at = quarantine_of(model.target), quarantine_of(home)
        live, start = self._lake.pointer(name), self._start(name, mark, home=home)
        is_at_home = live is not None and self._lake.home_of(live) == at
        is_ours = live is not None and is_quarantine_of(self._lake.metadata[live].mark, mark)
        if live is not None and not is_ours and not (is_at_home and start is not None):
            raise WarehouseFailure(f"`{name}` belongs to others", kind="conflict")
        beside = quarantine_batch(
            batch, live=live, is_followed=start is not None, is_at_home=is_at_home or start is not None
        )
        on = start or (None if beside.is_base_lost else live)
        base = None if on is None else self._lake.metadata[on]
        is_moved = start != live or beside.is_base_lost
        if not bad.rows and (on is None and live is None):
            return ()
        if not bad.rows and base is not None and not (is_moved or _replaces(beside, model, base.head.relation)):
            return ()
        old = Relation(bad.columns, ()) if base is None else base.head.relation
        # What the columns of a model are now comes first, the names of the checks last.
        gone = tuple(column for column in old.columns if column not in bad.columns)
        columns = (*bad.columns[:-1], *(() if beside.is_from_nothing else gone), FAILED_CHECKS)
        rows, counts = written(beside, model, aligned(old, columns), aligned(bad, columns))
        parent = None if base is None else base.current
        snapshot = Snapshot(next(self._lake.numbers), parent, Relation(columns, rows), "overwrite", mark)
        kept = () if base is None else base.snapshots
        properties = (None, None) if base is None else (base.mark, base.touch)
        pointer = self._lake.write(Metadata(snapshot.number, (*kept, snapshot), *properties), at, on)
        self._lake.set_stage(beside.commit, pointer)
        return (Staged(beside, pointer, snapshot.position, counts, schema_of(columns)),)

    def _start(self, name: TableName, mark: Mark, *, home: TableName) -> str | None:
        """Return the version that belongs to the table as it is recorded, also where the catalog has lost it."""
        live = self._lake.pointer(name)
        if live is not None and self._lake.home_of(live) == quarantine_of(home):
            return followed(self._lake.finished(live), mark)
        found = self._lake.quarantine(FoundTable(table=home, pointer="", location="", mark=mark))
        return None if found is None else found.pointer

    def judged(self, results: tuple[CheckResult, ...], staged: Staged, model: CompiledModel) -> tuple[CheckResult, ...]:
        """Return the results of checks, with what went to the quarantine by those that sort rows out."""
        for beside in staged.beside:
            rows = self._new_rows(beside, model)
            place = rows.place(FAILED_CHECKS)
            names = [name for row in rows.rows for name in str(row[place]).split(", ")]
            results = tuple(_judged(item, names.count(item.name)) for item in results)
        return results

    def _new_rows(self, beside: Staged, model: CompiledModel) -> Relation:
        metadata = self._lake.metadata[beside.pointer]
        relation, parent = metadata.head.relation, metadata.head.parent
        if beside.batch.mode != "append" or parent is None:
            return cut_rows(relation, model, beside.batch.slices)
        before = aligned(self._lake.archive[parent], relation.columns)
        return Relation(relation.columns, tuple((bag(relation) - bag(before)).elements()))

    def prepare(self, staged: Staged, mark: Mark, touch: Touch, target: TableName) -> tuple[Move, ...]:
        """Finish what is staged beside a batch."""
        return tuple(self._move(item, mark, touch, quarantine_of(target)) for item in staged.beside)

    def _move(self, item: Staged, mark: Mark, touch: Touch, name: TableName) -> Move:
        metadata, base = self._lake.metadata[item.pointer], self._lake.written[item.pointer][1]
        own, home = touch.replace(table=name, position=item.position), self._lake.home_of(item.pointer)
        pointer = self._lake.write(Metadata(metadata.current, metadata.snapshots, mark, own), home, base)
        self._lake.set_stage(item.batch.commit, pointer)
        return Move(name, base=item.batch.base, pointer=pointer, stage=stage_of(item.batch.commit), home=home)


def _replaces(beside: Batch, model: CompiledModel, old: Relation) -> bool:
    """Return whether a batch without rows for a quarantine changes it."""
    if beside.mode == "append":
        return False
    return beside.mode != "replace_slices" or bool(cut_rows(old, model, beside.slices).rows)


def _judged(result: CheckResult, count: int) -> CheckResult:
    if not count:
        return result
    return result.replace(passed=False, observed=count, rows_failed=count, rows_quarantined=count)
