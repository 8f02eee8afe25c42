"""How a batch writes the quarantine of its table, and which version of it belongs to the table."""

import pytest
from tests.planner.making import days, model

from lamina.planner.heads import Kind, MetadataFile, quarantine_head
from lamina.planner.quarantine import followed, is_quarantine_of, marked_beside, quarantine_batch, quarantine_model
from lamina.values.batch import Batch, Counts, Staged
from lamina.values.coverage import Coverage, Mark
from lamina.values.interval import Interval
from lamina.values.names import CommitId, Fingerprint, ModelName, Position
from lamina.values.plan import Mode


def batch(mode: Mode = "replace_slices", base: str | None = "b", carried: tuple[Interval, ...] = ()) -> Batch:
    name = ModelName("sales.orders")
    return Batch(CommitId("c2"), name, mode, (days(1),), pins=(), base=base, parameters={}, carried=carried)


def mark(commit: str = "c2", *, quarantine: str | None = None, store: str = "s") -> Mark:
    return Mark(
        commit=commit,
        run_id="r",
        token=1,
        project="p",
        environment="prod",
        store=store,
        model="sales.orders",
        fingerprint=Fingerprint("v1"),
        slices=(days(1),),
        pins={},
        coverage=Coverage(quarantine=quarantine),
    )


@pytest.mark.parametrize("mode", ["replace_slices", "append", "replace_all"])
def test_a_quarantine_is_written_as_its_table_is(mode: Mode) -> None:
    beside = quarantine_batch(batch(mode, carried=(days(3),)), live="q1", is_followed=True, is_at_home=True)
    assert (beside.mode, beside.slices, beside.carried) == (mode, (days(1),), (days(3),))
    assert (beside.commit, beside.base) == ("c2__quarantine", "q1")


def test_a_table_that_is_built_from_nothing_leaves_no_row_of_before_in_its_quarantine() -> None:
    first = quarantine_batch(batch(base=None), live="q1", is_followed=True, is_at_home=True)
    lost = quarantine_batch(batch().replace(is_base_lost=True), live="q1", is_followed=True, is_at_home=True)
    assert {item.mode for item in (first, lost)} == {"replace_all"}
    assert not lost.is_base_lost  # the files of the quarantine are there


def test_a_table_in_another_folder_gets_another_quarantine_beside_it() -> None:
    elsewhere = quarantine_batch(batch(base=None), live="q1", is_followed=False, is_at_home=False)
    assert (elsewhere.base, elsewhere.is_base_lost, elsewhere.mode) == ("q1", True, "replace_all")
    assert not quarantine_batch(batch(base=None), live=None, is_followed=False, is_at_home=False).is_base_lost


def test_rows_that_do_not_belong_to_the_table_as_recorded_are_replaced() -> None:
    beside = quarantine_batch(batch("append", carried=(days(3),)), live="q1", is_followed=False, is_at_home=True)
    assert (beside.mode, beside.carried) == ("replace_all", ())


def test_the_version_of_the_recorded_commit_is_followed_with_what_others_did_to_it() -> None:
    versions = [("q3", "c3"), ("compacted", "c1"), ("q1", "c1")]
    assert followed(versions, mark(quarantine="c3")) == "q3"
    assert followed(versions, mark(quarantine="c1")) == "compacted"
    assert followed(versions, mark(quarantine="c0")) is None
    assert followed(versions, mark()) is None


def test_only_a_batch_that_changes_the_quarantine_is_named_by_its_mark() -> None:
    staged = Staged(batch(), "q2", Position("1"), Counts(), ())
    assert marked_beside(mark(quarantine="c1"), (staged,)).coverage.quarantine == "c2"
    assert marked_beside(mark(quarantine="c1"), ()).coverage.quarantine == "c1"


def test_a_table_without_our_mark_is_no_quarantine_of_ours() -> None:
    assert is_quarantine_of(mark("c1"), mark())
    assert not is_quarantine_of(mark("c1", store="other"), mark())
    assert not is_quarantine_of(None, mark())


@pytest.mark.parametrize(("on_drift", "expected"), [("evolve", "evolve"), ("fail", "evolve"), ("ignore", "ignore")])
def test_a_quarantine_ignores_drift_where_its_table_does(on_drift: str, expected: str) -> None:
    beside = quarantine_model(model(on_drift=on_drift))
    assert beside.settings.on_drift == expected


def file(name: str, *log: str, commit: str, kind: Kind = "sealed") -> MetadataFile:
    return MetadataFile(name=name, log=log, kind=kind, token=1, updated=len(log), commit=commit)


def test_of_a_lost_quarantine_the_version_is_found_that_its_table_names() -> None:
    files = (
        file("q1", commit="c1"),
        file("x", "q1", commit="c1", kind="unfinished"),
        file("q2", "q1", "x", commit="c2"),
    )
    assert head(files, "c1") == "q1"
    assert head(files, "c2") == "q2"
    assert head(files, "c9") is None
    assert head(files, None) is None
    assert head((*files, file("others", "q1", commit="c1", kind="foreign")), "c1") == "others"


def head(files: tuple[MetadataFile, ...], commit: str | None) -> str | None:
    found = quarantine_head(files, commit=commit)
    return None if found is None else found.name
