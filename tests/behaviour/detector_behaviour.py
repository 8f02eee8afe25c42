"""What every detector says of sources: which rows are new, gone or changed, in ranges of columns readers filter by."""

from datetime import timedelta

import pytest
from tests.behaviour.bench import COLUMNS, Bench, Trial, event, span
from tests.simulation.algebra import Read, Union

from lamina.project.source import SourceTable
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.result import Detection
from lamina.values.touch import Everything, Nothing, Ranges, Touch
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.port import Warehouse

TS = (ColumnName("ts"),)
RESOLUTION = timedelta(microseconds=1)


def _position(bench: Bench, source: SourceTable) -> Position:
    found = _warehouse(bench).source_heads((source,))[TableName(source.name)].position
    assert found is not None
    return found


def _warehouse(bench: Bench) -> Warehouse:
    files, table = Read("raw.files", COLUMNS, by="ts"), Read("raw.events", COLUMNS, by="ts")
    return Trial(bench, Union(files, table)).warehouse


def _changes(bench: Bench, source: SourceTable, since: Position) -> tuple[Touch, ...]:
    return _warehouse(bench).changes(source, since, columns=TS)


def _seen(bench: Bench, source: SourceTable, since: Position | None) -> Detection:
    until = _position(bench, source)
    return _warehouse(bench).detection(source, since, until=until)


def _stems(names: tuple[str, ...]) -> list[str]:
    """Return the names of files without their kind, which differs between warehouses."""
    return [name.partition(".")[0] for name in names]


def _days(*touches: Touch) -> tuple[Interval, ...]:
    """Return the days that touches name; a detector may tell finer ranges."""
    found: set[Interval] = set()
    for touch in touches:
        assert isinstance(touch.extent, Ranges)
        (column,) = touch.extent.columns
        assert column.column == "ts"
        found |= {span(item.start.day, (item.end - RESOLUTION).day + 1) for item in column.ranges}
    return tuple(sorted(found))


class DetectorBehaviour:
    """Files and versions, as touches."""

    def test_unchanged_source_has_no_touch(self, bench: Bench) -> None:
        bench.put_file("one", [event(1, 1)])
        bench.append_rows([event(1, 1)])
        assert _changes(bench, bench.files, _position(bench, bench.files)) == ()
        assert _changes(bench, bench.table, _position(bench, bench.table)) == ()

    def test_new_file_is_an_append_of_its_days(self, bench: Bench) -> None:
        bench.put_file("one", [event(1, 1)])
        since = _position(bench, bench.files)
        bench.put_file("two", [event(2, 2), event(3, 5)])
        (touch,) = _changes(bench, bench.files, since)
        assert touch.is_append
        assert (touch.parent, touch.position) == (since, _position(bench, bench.files))
        assert _days(touch) == (span(2, 3), span(5, 6))

    def test_changed_file_touches_what_it_held_and_what_it_holds(self, bench: Bench) -> None:
        bench.put_file("one", [event(1, 1)])
        bench.put_file("two", [event(2, 7)])
        since = _position(bench, bench.files)
        bench.put_file("one", [event(1, 3)])
        (touch,) = _changes(bench, bench.files, since)
        assert not touch.is_append
        assert _days(touch) == (span(1, 2), span(3, 4))

    def test_removed_file_touches_what_it_held(self, bench: Bench) -> None:
        bench.put_file("one", [event(1, 1)])
        bench.put_file("two", [event(2, 7)])
        since = _position(bench, bench.files)
        bench.remove_file("two")
        (touch,) = _changes(bench, bench.files, since)
        assert not touch.is_append
        assert _days(touch) == (span(7, 8),)

    def test_unknown_list_of_files_touches_everything(self, bench: Bench) -> None:
        bench.put_file("one", [event(1, 1)])
        (touch,) = _changes(bench, bench.files, Position("0123456789abcdef"))
        assert isinstance(touch.extent, Everything)
        assert not touch.is_append

    def test_appended_rows_touch_their_days(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        since = _position(bench, bench.table)
        bench.append_rows([event(2, 2)])
        bench.append_rows([event(3, 4)])
        touches = _changes(bench, bench.table, since)
        assert touches[0].parent == since
        assert touches[-1].position == _position(bench, bench.table)
        assert all(touch.is_append for touch in touches)
        assert _days(*touches) == (span(2, 3), span(4, 5))

    def test_deleted_rows_touch_their_days(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        bench.append_rows([event(2, 3, key="gone")])
        since = _position(bench, bench.table)
        bench.delete_rows("gone")
        (touch,) = _changes(bench, bench.table, since)
        assert not touch.is_append
        assert _days(touch) == (span(3, 4),)

    def test_compaction_touches_nothing(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        bench.append_rows([event(2, 1)])
        since = _position(bench, bench.table)
        bench.compact()
        touches = _changes(bench, bench.table, since)
        assert all(isinstance(touch.extent, Nothing) for touch in touches)

    def test_version_that_is_not_an_ancestor_touches_everything(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        (touch,) = _changes(bench, bench.table, Position("12345"))
        assert isinstance(touch.extent, Everything)

    def test_table_that_is_gone_is_named(self, bench: Bench) -> None:
        with pytest.raises(WarehouseFailure, match=r"raw\.events") as refused:
            _position(bench, bench.table)
        assert refused.value.kind == "not_found"

    def test_files_that_are_new_changed_or_gone_are_named(self, bench: Bench) -> None:
        for name in ("one", "two", "three"):
            bench.put_file(name, [event(1, 1)])
        since = _position(bench, bench.files)
        bench.put_file("two", [event(2, 2), event(3, 2)])
        bench.put_file("four", [event(4, 4)])
        bench.remove_file("three")
        seen = _seen(bench, bench.files, since)
        assert [_stems(names) for names in (seen.changed, seen.added, seen.removed)] == [["two"], ["four"], ["three"]]
        assert (seen.detector, seen.unchanged) == ("files", 1)

    def test_at_the_first_look_every_file_came(self, bench: Bench) -> None:
        bench.put_file("one", [event(1, 1)])
        seen = _seen(bench, bench.files, None)
        assert (_stems(seen.added), seen.changed, seen.removed, seen.unchanged) == (["one"], (), (), 0)

    def test_versions_that_added_and_that_removed_rows_are_named_but_compaction(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        since = _position(bench, bench.table)
        bench.append_rows([event(2, 3, key="gone")])
        added = _position(bench, bench.table)
        bench.compact()
        bench.delete_rows("gone")
        seen = _seen(bench, bench.table, since)
        assert (seen.detector, seen.added, seen.removed) == ("version", (added,), ())
        assert seen.changed == (_position(bench, bench.table),)

    def test_version_that_is_not_an_ancestor_any_more_was_removed(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        assert _seen(bench, bench.table, Position("12345")).removed == ("12345",)

    def test_source_without_asked_columns_is_touched_everywhere(self, bench: Bench) -> None:
        bench.put_file("one", [event(1, 1)])
        since = _position(bench, bench.files)
        bench.put_file("two", [event(2, 2)])
        (touch,) = _warehouse(bench).changes(bench.files, since, columns=())
        assert isinstance(touch.extent, Everything)
        assert touch.is_append
