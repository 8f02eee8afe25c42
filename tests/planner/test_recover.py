"""Records derived from tables: every way a table can have moved."""

import pytest
from tests.planner.making import DAILY, built, days, head, model, touch, use

from lamina.planner.fold import fold
from lamina.planner.recover import Found, Identity, Recorded, accept, accepted_stores, is_foreign, recover, stand
from lamina.planner.segments import indebted, owe
from lamina.values.coverage import Coverage, Debt, Mark, ProvenKey
from lamina.values.facts import Version
from lamina.values.interval import WHOLE
from lamina.values.names import Position, TableName
from lamina.values.touch import Everything, Nothing

TOTAL = model("sales.total", inputs=(use(),))
BALANCE = model("sales.balance", inputs=(use("sales.balance", by="day"),), strategy=DAILY)
OLD = built(TOTAL, WHOLE, positions={"raw.orders": "1"})
NEW = built(TOTAL, WHOLE, positions={"raw.orders": "2"})
IDENTITY = Identity(projects=("shop",), environment="prod", stores=("store-1",))
RECORDED = Recorded(pointer="sales.total@a", position=Position("a"), coverage=OLD)


def mark(commit: str, coverage: Coverage = NEW, **changes: object) -> Mark:
    made = Mark(
        commit=commit,
        run_id="run-1",
        token=1,
        project="shop",
        environment="prod",
        store="store-1",
        model="sales.total",
        fingerprint=TOTAL.fingerprint,
        slices=(WHOLE,),
        pins={},
        coverage=coverage,
    )
    return made.replace(**changes)


def version(position: str, parent: str | None, *, by: Mark | None = None, is_harmless: bool = False) -> Version:
    made = touch(position, parent, table="sales.total", extent=Nothing() if is_harmless else Everything())
    return Version(
        position=Position(position),
        parent=None if parent is None else Position(parent),
        mark=by,
        touch=made,
        is_content_preserving=is_harmless,
    )


def linked(*versions: Version, newest: Mark | None = None) -> Found:
    return Found(versions=versions, is_linked=True, mark=newest)


@pytest.mark.parametrize("policy", ["refuse", "rebuild", "accept"])
def test_keys_of_a_table_with_a_foreign_write_are_not_known(policy: str) -> None:
    subject = TOTAL.replace(settings=TOTAL.settings.replace(on_foreign_write=policy))
    proven = RECORDED.replace(coverage=OLD.replace(proven=(ProvenKey(columns=("id",)),)))

    def after(*versions: Version) -> Coverage:
        moved = head("b", table="sales.total")
        return recover(subject, moved, recorded=proven, found=linked(*versions), identity=IDENTITY).recorded.coverage

    assert after(version("b", "a", is_harmless=True)).proven == proven.coverage.proven
    assert after(version("b", "a")).proven == ()


def test_a_table_at_its_recorded_pointer_is_ours_without_a_look() -> None:
    target = stand(head("a", table="sales.total"), RECORDED)
    assert target is not None
    assert target.status == "ours"


def test_a_table_that_does_not_exist_is_absent() -> None:
    for recorded in (RECORDED, None):
        target = stand(head(None, table="sales.total"), recorded)
        assert target is not None
        assert target.status == "absent"


def test_a_moved_table_must_be_looked_into() -> None:
    assert stand(head("b", table="sales.total"), RECORDED) is None
    assert stand(head("b", table="sales.total"), None) is None


def test_compaction_moves_the_record_and_links_the_log() -> None:
    found = linked(version("b", "a", is_harmless=True))
    after = recover(TOTAL, head("b", table="sales.total"), recorded=RECORDED, found=found, identity=IDENTITY)
    assert after.target.status == "ours"
    assert after.recorded == Recorded(pointer="sales.total@b", position=Position("b"), coverage=OLD)
    assert [(item.parent, item.position, item.extent) for item in after.touches] == [("a", "b", Nothing())]


def test_i3_a_newer_mark_of_ours_brings_its_coverage_and_its_touch() -> None:
    found = linked(version("b", "a", by=mark("c1")))
    after = recover(TOTAL, head("b", table="sales.total"), recorded=RECORDED, found=found, identity=IDENTITY)
    assert after.target.status == "ours"
    assert after.recorded.coverage == NEW
    assert [item.position for item in after.touches] == ["b"]


def test_a_foreign_write_is_remembered_until_it_is_accepted() -> None:
    found = linked(version("b", "a"), version("c", "b", is_harmless=True))
    after = recover(TOTAL, head("c", table="sales.total"), recorded=RECORDED, found=found, identity=IDENTITY)
    assert after.target.status == "foreign_write"
    assert [item.position for item in after.touches] == ["b", "c"]
    later = stand(head("c", table="sales.total"), after.recorded)
    assert later is not None
    assert later.status == "foreign_write"
    assert not is_foreign(accept(TOTAL, after.recorded.coverage, position=None))
    assert accept(TOTAL, after.recorded.coverage, position=None) == OLD.replace(not_followed=(TOTAL.target,))


def test_a_foreign_write_to_a_model_that_reads_itself_is_kept_apart_from_its_own_debts() -> None:
    own = Debt(input=TableName("sales.balance"), since=Position("a"), position=Position("b"))
    coverage = built(BALANCE, days(1, 3), positions={"sales.balance": "b"})
    owing = coverage.replace(segments=tuple(item.replace(debts=(own,)) for item in coverage.segments))
    assert not is_foreign(owing)
    recorded = Recorded(pointer="sales.balance@b", position=Position("b"), coverage=owing)
    found = linked(version("c", "b"))
    after = recover(BALANCE, head("c", table="sales.balance"), recorded=recorded, found=found, identity=IDENTITY)
    assert after.target.status == "foreign_write"
    accepted = accept(BALANCE, after.recorded.coverage, position=Position("c"))
    assert not is_foreign(accepted)
    assert [cursor.position for cursor in accepted.cursors] == ["c"]
    assert accepted.segments == owing.segments


def own_write(position: str, parent: str) -> Version:
    """A foreign write to a table that reads itself."""
    made = version(position, parent)
    return made.replace(touch=made.touch.replace(table=TableName("sales.balance")))


def written_by_others(coverage: Coverage, *versions: Version, is_folded: bool) -> Coverage:
    """Return the coverage after foreign writes were found one by one, by runs that folded them or by none."""
    for written in versions:
        recorded = Recorded(pointer=None, position=written.parent, coverage=coverage)
        now = head(written.position, table="sales.balance")
        found = recover(BALANCE, now, recorded=recorded, found=linked(written), identity=IDENTITY)
        coverage = found.recorded.coverage
        if is_folded:
            own = TableName("sales.balance")
            coverage, _ = fold(coverage, BALANCE, touches={own: found.touches}, heads={own: now})
    return coverage


@pytest.mark.parametrize("is_folded", [False, True])
def test_accepted_writes_leave_what_a_table_owed_itself_before(is_folded: bool) -> None:
    clean, owing = built(BALANCE, days(1, 2), days(3, 4), positions={"sales.balance": "b"}).segments
    debt = Debt(input=TableName("sales.balance"), since=Position("a"), position=Position("b"))
    before = built(BALANCE, positions={"sales.balance": "b"}).replace(segments=(clean, owe(owing, debt)))
    after = written_by_others(before, own_write("c", "b"), own_write("d", "c"), is_folded=is_folded)
    accepted = accept(BALANCE, after, position=Position("d"))
    assert not is_foreign(accepted)
    assert indebted(accepted) == (days(3, 4),)
    assert [cursor.position for cursor in accepted.cursors] == ["d"]


def test_a_slice_that_only_a_later_foreign_write_reached_is_accepted_too() -> None:
    before = built(BALANCE, days(1, 4), positions={"sales.balance": "b"})
    first = own_write("c", "b").replace(touch=touch("c", "b", days(3), table="sales.balance"))
    second = own_write("d", "c").replace(touch=touch("d", "c", days(1), table="sales.balance"))
    after = written_by_others(before, first, second, is_folded=True)
    assert accept(BALANCE, after, position=Position("d")).segments == before.segments


def test_an_accepted_write_does_not_pass_over_own_touches_that_are_not_folded() -> None:
    before = built(BALANCE, days(1, 4), positions={"sales.balance": "a"})
    after = written_by_others(before, own_write("c", "b"), is_folded=False)
    accepted = accept(BALANCE, after, position=Position("c"))
    assert not is_foreign(accepted)
    assert [cursor.position for cursor in accepted.cursors] == ["a"]


def test_a_model_that_reads_itself_and_accepts_goes_on_from_the_foreign_version() -> None:
    tolerant = BALANCE.replace(settings=BALANCE.settings.replace(on_foreign_write="accept"))
    coverage = built(tolerant, days(1, 3), positions={"sales.balance": "b"})
    recorded = Recorded(pointer="sales.balance@b", position=Position("b"), coverage=coverage)
    found = linked(version("c", "b"))
    after = recover(tolerant, head("c", table="sales.balance"), recorded=recorded, found=found, identity=IDENTITY)
    assert after.target.status == "ours"
    assert [cursor.position for cursor in after.recorded.coverage.cursors] == ["c"]


def test_a_model_that_accepts_foreign_writes_only_touches_its_readers() -> None:
    tolerant = model("sales.total", inputs=(use(),), on_foreign_write="accept")
    found = linked(version("b", "a"))
    after = recover(tolerant, head("b", table="sales.total"), recorded=RECORDED, found=found, identity=IDENTITY)
    assert after.target.status == "ours"
    assert [item.extent for item in after.touches] == [Everything()]


def test_a_write_marked_by_another_project_is_foreign() -> None:
    found = linked(version("b", "a", by=mark("c1", project="other")))
    after = recover(TOTAL, head("b", table="sales.total"), recorded=RECORDED, found=found, identity=IDENTITY)
    assert after.target.status == "foreign_write"
    assert after.recorded.coverage != NEW


def test_our_batch_on_top_of_a_foreign_write_settles_it() -> None:
    found = linked(version("b", "a"), version("c", "b", by=mark("c1")))
    after = recover(TOTAL, head("c", table="sales.total"), recorded=RECORDED, found=found, identity=IDENTITY)
    assert after.target.status == "ours"
    assert after.recorded.coverage == NEW


def test_a_rolled_back_table_takes_its_newest_mark_and_touches_everything() -> None:
    versions = (version("x", None, by=mark("c0", OLD)),)
    found = Found(versions=versions, is_linked=False, mark=mark("c0", OLD))
    known = RECORDED.replace(coverage=NEW)
    after = recover(TOTAL, head("x", table="sales.total"), recorded=known, found=found, identity=IDENTITY)
    assert after.recorded == Recorded(pointer="sales.total@x", position=Position("x"), coverage=OLD)
    assert [(item.parent, item.position, item.extent) for item in after.touches] == [("a", "x", Everything())]


def test_a_replaced_table_without_our_mark_is_refused() -> None:
    found = Found(versions=(version("x", None),), is_linked=False, mark=None)
    after = recover(TOTAL, head("x", table="sales.total"), recorded=RECORDED, found=found, identity=IDENTITY)
    assert after.target.status == "unmarked"
    assert after.recorded == RECORDED
    assert after.touches == ()


def test_i3_lost_state_is_restored_from_marks() -> None:
    versions = (version("a", None, by=mark("c0", OLD)), version("b", "a", by=mark("c1")))
    found = Found(versions=versions, is_linked=False, mark=mark("c1"))
    after = recover(TOTAL, head("b", table="sales.total"), recorded=None, found=found, identity=IDENTITY)
    assert after.target.status == "ours"
    assert after.recorded.coverage == NEW
    assert [item.position for item in after.touches] == ["a", "b"]


def test_lost_state_still_notices_a_foreign_write_after_the_newest_mark() -> None:
    versions = (version("b", "a", by=mark("c1")), version("c", "b"))
    for listed in (versions, versions[1:]):
        found = Found(versions=listed, is_linked=False, mark=mark("c1"))
        after = recover(TOTAL, head("c", table="sales.total"), recorded=None, found=found, identity=IDENTITY)
        assert after.target.status == "foreign_write"


def test_tables_of_others_are_refused_with_their_owner() -> None:
    for changes in ({"project": "other"}, {"environment": "dev"}, {"store": "store-2"}, {"model": "sales.other"}):
        found = Found(versions=(), is_linked=False, mark=mark("c1").replace(**changes))
        after = recover(TOTAL, head("b", table="sales.total"), recorded=None, found=found, identity=IDENTITY)
        assert after.target.status == "other_project"
        assert next(iter(changes.values())) in after.target.detail
        assert after.recorded.pointer is None  # else the next run would find the table where it was recorded


def test_an_empty_state_takes_over_the_only_store_it_finds() -> None:
    ours, theirs = mark("c1"), mark("c2", store="store-2")
    assert accepted_stores([ours], project="shop", own="new", is_empty=True) == ("new", "store-1")
    assert accepted_stores([ours, theirs], project="shop", own="new", is_empty=True) == ("new",)
    assert accepted_stores([ours], project="shop", own="new", is_empty=False) == ("new",)
    assert accepted_stores([mark("c3", project="x")], project="shop", own="new", is_empty=True) == ("new",)
