"""What every warehouse does; a test class inherits this and gives the `bench` fixture."""

from datetime import UTC, datetime

import pytest
from tests.behaviour.bench import COLUMNS, Bench, Trial, event, span, whole
from tests.simulation.algebra import Group, Join, Keep, Pick, Read, Spread, Union

from lamina.project.model import CheckSettings
from lamina.project.strategy import Incremental, Merge, TimeInterval
from lamina.values.batch import DiffQuestion
from lamina.values.names import ColumnName, TableName
from lamina.values.touch import Refinement
from lamina.warehouse.failure import WarehouseFailure


def _columns(*names: str) -> tuple[ColumnName, ...]:
    return tuple(ColumnName(name) for name in names)


class StageBehaviour:
    """What is staged is not visible to readers; what is published appears whole."""

    def test_i2_first_build_is_invisible_until_it_is_published(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1), event(2, 2)])
        trial = whole(bench)
        staged = trial.stage(trial.batch(mode="replace_all"))
        assert trial.pointer() is None
        assert trial.rows() == []
        trial.publish(staged)
        assert trial.rows() == [event(1, 1), event(2, 2)]
        assert trial.position() == staged.position

    def test_i2_replacement_is_invisible_until_it_is_published(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        trial = Trial(bench)
        trial.build(span(1, 3))
        bench.append_rows([event(2, 2)])
        before = trial.pointer()
        staged = trial.stage(trial.batch(span(1, 3)))
        assert (trial.pointer(), trial.rows()) == (before, [event(1, 1)])
        trial.publish(staged)
        assert trial.rows() == [event(1, 1), event(2, 2)]

    def test_only_the_slices_are_replaced(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1), event(2, 2), event(3, 3)])
        trial = Trial(bench)
        trial.build(span(1, 4))
        bench.append_rows([event(4, 1), event(5, 2), event(6, 3)])
        trial.build(span(2, 3))
        assert trial.rows() == [event(1, 1), event(2, 2), event(3, 3), event(5, 2)]

    def test_slice_that_became_empty_is_emptied(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1), event(2, 2, key="gone")])
        trial = Trial(bench)
        trial.build(span(1, 3))
        bench.delete_rows("gone")
        staged = trial.build(span(2, 3))
        assert trial.rows() == [event(1, 1)]
        assert staged.counts.written == 0

    def test_replace_all_leaves_nothing_old(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1, key="gone"), event(2, 2)])
        trial = whole(bench)
        trial.build(mode="replace_all")
        bench.delete_rows("gone")
        trial.build(mode="replace_all")
        assert trial.rows() == [event(2, 2)]

    def test_row_outside_its_slice_is_refused(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1), event(2, 5)])
        trial = Trial(bench, Read("raw.events", COLUMNS))
        with pytest.raises(WarehouseFailure) as refused:
            trial.stage(trial.batch(span(1, 3)))
        assert refused.value.kind == "data_rejected"

    def test_discarded_stage_cannot_be_published(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        trial = whole(bench)
        staged = trial.stage(trial.batch(mode="replace_all"))
        move = trial.warehouse.prepare_publish(staged, trial.mark(staged.batch), trial.touch(staged))
        trial.warehouse.discard(staged.batch.commit)
        trial.warehouse.discard(staged.batch.commit)
        with pytest.raises(AssertionError):
            bench.publish(move)
        assert trial.pointer() is None

    def test_merge_updates_keys_and_inserts_new_ones(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1, amount=1), event(2, 1, amount=2)])
        strategy = Merge(unique_key=_columns("id"), order_by=_columns("ts"), driver=TableName("raw.events"))
        trial = Trial(bench, Read("raw.events", COLUMNS), strategy=strategy)
        trial.build(mode="merge")
        since = trial.pins()[0].position
        bench.append_rows([event(2, 3, amount=5), event(2, 2, amount=9), event(3, 3)])
        staged = trial.build(mode="merge", pins=trial.pins(since=since))
        assert trial.rows() == [event(1, 1, amount=1), event(2, 3, amount=5), event(3, 3)]
        counts = staged.counts
        assert (counts.inserted, counts.replaced, counts.duplicate) == (1, 1, 1)

    def test_merge_of_all_rows_takes_a_row_that_changed_in_place(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1, key="old", amount=9), event(2, 1)])
        strategy = Merge(unique_key=_columns("id"), order_by=_columns("ts"), driver=TableName("raw.events"))
        trial = Trial(bench, Read("raw.events", COLUMNS), strategy=strategy)
        trial.build(mode="merge")
        bench.delete_rows("old")
        bench.append_rows([event(1, 1, key="new", amount=3)])
        staged = trial.build(mode="merge")
        assert trial.rows() == [event(1, 1, key="new", amount=3), event(2, 1)]
        assert staged.counts.inserted == 0

    def test_i7_counts_of_an_append_are_its_rows(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        trial = Trial(bench, Read("raw.events", COLUMNS), strategy=Incremental(driver=TableName("raw.events")))
        trial.build(mode="replace_all")
        since = trial.pins()[0].position
        bench.append_rows([event(2, 1), event(3, 1)])
        staged = trial.build(mode="append", pins=trial.pins(since=since))
        assert (staged.counts.written, staged.counts.inserted) == (2, 2)
        assert trial.rows() == [event(1, 1), event(2, 1), event(3, 1)]


class PinBehaviour:
    """A batch reads the versions it names, whatever happens meanwhile."""

    def test_pinned_version_of_a_table_is_read_after_it_moved_on(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        trial = whole(bench)
        pins = trial.pins()
        bench.append_rows([event(2, 2)])
        trial.build(mode="replace_all", pins=pins)
        assert trial.rows() == [event(1, 1)]

    def test_only_listed_files_are_read(self, bench: Bench) -> None:
        bench.put_file("one", [event(1, 1)])
        trial = whole(bench, Read("raw.files", COLUMNS))
        pins = trial.pins()
        bench.put_file("two", [event(2, 2)])
        trial.build(mode="replace_all", pins=pins)
        assert trial.rows() == [event(1, 1)]

    def test_listed_file_that_changed_is_noticed(self, bench: Bench) -> None:
        bench.put_file("one", [event(1, 1)])
        trial = whole(bench, Read("raw.files", COLUMNS))
        pins = trial.pins()
        bench.put_file("one", [event(1, 1), event(2, 2)])
        with pytest.raises(WarehouseFailure):
            trial.build(mode="replace_all", pins=pins)
        assert trial.pointer() is None

    def test_file_that_changed_after_it_was_read_is_noticed_before_publishing(self, bench: Bench) -> None:
        bench.put_file("one", [event(1, 1)])
        trial = whole(bench, Read("raw.files", COLUMNS))
        staged = trial.stage(trial.batch(mode="replace_all"))
        bench.put_file("one", [event(1, 1), event(2, 2)])
        with pytest.raises(WarehouseFailure):
            trial.publish(staged)

    def test_append_reads_only_new_files(self, bench: Bench) -> None:
        bench.put_file("one", [event(1, 1)])
        trial = Trial(bench, Read("raw.files", COLUMNS), strategy=Incremental(driver=TableName("raw.files")))
        trial.build(mode="replace_all")
        since = trial.pins()[0].position
        bench.put_file("two", [event(2, 1), event(1, 1)])
        trial.build(mode="append", pins=trial.pins(since=since))
        assert trial.rows() == [event(1, 1), event(1, 1), event(2, 1)]

    def test_append_reads_past_a_compaction(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        bench.append_rows([event(2, 1)])
        trial = Trial(bench, Read("raw.events", COLUMNS), strategy=Incremental(driver=TableName("raw.events")))
        trial.build(mode="replace_all")
        since = trial.pins()[0].position
        bench.compact()
        bench.append_rows([event(3, 1)])
        trial.build(mode="append", pins=trial.pins(since=since))
        assert trial.rows() == [event(1, 1), event(2, 1), event(3, 1)]


class DiffBehaviour:
    """Old slices against new ones, for the columns someone reads."""

    def test_equal_rebuild_is_reported_and_published_as_a_mark(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        trial = Trial(bench)
        first = trial.build(span(1, 3))
        staged = trial.stage(trial.batch(span(1, 3)))
        assert trial.warehouse.diff(staged, ()).is_equal
        marked, move = trial.warehouse.prepare_mark(staged, trial.mark(staged.batch), trial.touch(staged))
        bench.publish(move)
        assert trial.rows() == [event(1, 1)]
        assert trial.position() == marked.position
        history = trial.warehouse.history(trial.target, first.position)
        assert [version.is_content_preserving for version in history.versions] == [True]
        assert history.mark is not None
        assert history.mark.commit == staged.batch.commit

    def test_columns_that_did_not_change_are_proven_equal(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1, key="x"), event(2, 2)])
        trial = Trial(bench)
        trial.build(span(1, 3))
        bench.delete_rows("x")
        bench.append_rows([event(1, 1, key="x", status="paid")])
        staged = trial.stage(trial.batch(span(1, 3)))
        amounts, statuses = _columns("amount", "key", "ts"), _columns("key", "status", "ts")
        questions = (
            DiffQuestion(amounts, ColumnName("ts"), "day"),
            DiffQuestion(statuses, ColumnName("ts"), "day"),
            DiffQuestion(None),
        )
        diff = trial.warehouse.diff(staged, questions)
        assert not diff.is_equal
        assert diff.refinements == (
            Refinement(amounts),
            Refinement(statuses, ColumnName("ts"), (span(1, 2),)),
        )

    def test_change_of_multiplicity_is_a_change(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1), event(1, 1)])
        trial = Trial(bench)
        trial.build(span(1, 2))
        bench.append_rows([event(1, 1), event(1, 1)])
        staged = trial.stage(trial.batch(span(1, 2)))
        assert not trial.warehouse.diff(staged, ()).is_equal


class HistoryBehaviour:
    """A table tells who wrote it."""

    def test_published_versions_carry_their_marks(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        trial = Trial(bench)
        first = trial.build(span(1, 2))
        second = trial.build(span(2, 3))
        assert trial.warehouse.history(trial.target, second.position).versions == ()
        history = trial.warehouse.history(trial.target, first.position)
        (version,) = history.versions
        assert history.is_linked
        assert version.mark == trial.mark(second.batch)
        assert version.parent == first.position
        assert version.touch.rows_added == 7
        everything = trial.warehouse.history(trial.target, None)
        assert [item.position for item in everything.versions] == [first.position, second.position]

    def test_foreign_write_has_no_mark(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        trial = Trial(bench)
        built = trial.build(span(1, 2))
        bench.append_foreign(trial.target, [event(9, 1)])
        history = trial.warehouse.history(trial.target, built.position)
        assert [version.mark for version in history.versions] == [None]
        assert not history.versions[0].is_content_preserving
        assert history.mark == trial.mark(built.batch)

    def test_files_of_a_table_that_was_dropped_without_them_are_found_by_their_mark(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        trial = Trial(bench)
        built, pointer = trial.build(span(1, 2)), trial.pointer()
        assert pointer is not None
        bench.drop(trial.target)
        assert trial.pointer() is None
        assert trial.warehouse.left_mark(trial.target, pointer) == trial.mark(built.batch)
        assert trial.warehouse.left_mark(TableName("sales.renamed"), pointer) == trial.mark(built.batch)
        assert trial.warehouse.left_mark(TableName("sales.never"), None) is None

    def test_nothing_is_left_of_a_table_that_was_purged(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        trial = Trial(bench)
        trial.build(span(1, 2))
        pointer = trial.pointer()
        assert pointer is not None
        bench.purge(trial.target)
        assert trial.warehouse.left_mark(trial.target, pointer) is None

    def test_unknown_version_is_not_linked(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1)])
        trial = Trial(bench)
        trial.build(span(1, 2))
        assert not trial.warehouse.history(trial.target, trial.pins()[0].position).is_linked

    def test_comparison_finds_a_foreign_row(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1), event(2, 2)])
        trial = Trial(bench)
        trial.build(span(1, 3))
        pins = {pin.input: pin.position for pin in trial.pins()}
        equal = trial.warehouse.compare(trial.model, (span(1, 3),), pins)
        assert (equal.rows_expected, equal.missing, equal.extra) == (2, 0, 0)
        bench.append_foreign(trial.target, [event(1, 1)])
        different = trial.warehouse.compare(trial.model, (span(1, 3),), pins)
        assert (different.missing, different.extra) == (0, 1)
        assert trial.warehouse.compare(trial.model, (span(2, 3),), pins).extra == 0

    def test_checks_look_at_the_staged_rows(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1), event(1, 2)])
        checks = (
            CheckSettings(type="unique", column=ColumnName("id")),
            CheckSettings(type="not_null", column=ColumnName("amount")),
            CheckSettings(type="accepted_values", column=ColumnName("status"), values=("paid",)),
        )
        trial = Trial(bench, checks=checks)
        staged, noon = trial.stage(trial.batch(span(1, 3))), datetime(2026, 1, 3, 12, tzinfo=UTC)
        results = trial.warehouse.check(staged, trial.model, outdated=(), unproven=(), execution_time=noon)
        assert [(result.type, result.passed) for result in results] == [
            ("unique", False),
            ("not_null", True),
            ("accepted_values", False),
        ]
        assert results[2].rows_failed == 2


class AlgebraBehaviour:
    """The simulated queries mean the same everywhere."""

    def test_every_operator_gives_the_same_rows(self, bench: Bench) -> None:
        bench.append_rows([event(1, 1), event(2, 2, key="b", amount=5), event(3, 3, amount=7), event(4, 3, amount=9)])
        bench.put_file("one", [event(1, 1, amount=2), event(2, 2, key="b"), event(3, 9)])
        daily = Pick(
            Read("raw.events", ("ts", "key", "amount"), by="ts", back=1),
            (("day", "ts", "day"), ("key", "key", "same"), ("amount", "amount", 1)),
        )
        trailing = Group(Spread(daily, "day", 0, 1), ("day", "key"), (("amount", "sum", "amount"),))
        names = Group(Keep(Read("raw.files", ("key", "amount")), "key", "<>", "c"), ("key",), (("n", "count", "key"),))
        both = Union(Join(trailing, names, ("key",)), Join(trailing, names, ("key",)))
        trial = Trial(bench, both, strategy=TimeInterval(time_column=ColumnName("day")))
        trial.build(span(2, 4))
        totals: list[tuple[int, str, int, int]] = [(2, "a", 2, 2), (2, "b", 6, 1), (3, "a", 18, 2), (3, "b", 6, 1)]
        expected = [(span(on, on + 1).start, key, amount, n) for on, key, amount, n in totals for _ in range(2)]
        assert trial.rows() == expected


class WarehouseBehaviour(StageBehaviour, PinBehaviour, DiffBehaviour, HistoryBehaviour, AlgebraBehaviour):
    """The port, but for what detectors say of sources."""
