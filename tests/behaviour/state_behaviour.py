"""What every state store does; a test class inherits this and gives the `store` and `stages` fixtures."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.behaviour.examples import (
    NOW,
    ORDERS,
    PROD,
    RAW,
    TTL,
    check_of,
    coverage_of,
    days,
    failure_of,
    intent_of,
    lease_of,
    plan_of,
    published_of,
    rename_of,
    run_of,
    touch_of,
)

from lamina.state.errors import LeaseHeld, LeaseLost, LogOutOfStep, PublishConflict
from lamina.state.port import CheckRecord, ModelRecord, StateStore
from lamina.values.batch import Move
from lamina.values.coverage import Cursor
from lamina.values.interval import Interval
from lamina.values.names import CommitId, EnvironmentName, ModelName, PlanId, Position, RunId, TableName
from lamina.values.row_counts import RowCounts
from lamina.warehouse.catalog.port import stage_of

# Puts a stage into the catalog: commit, pointer.
Stager = Callable[[str, str], None]
# Returns the pointer of a table, of `sales.orders` if none is named.
Pointer = Callable[..., str | None]


class LeaseBehaviour:
    """One writer at a time, and tokens that only grow."""

    def test_i5_second_holder_is_refused_while_the_first_lives(self, store: StateStore) -> None:
        lease_of(store)
        with pytest.raises(LeaseHeld) as refused:
            lease_of(store, "run-2", now=NOW + timedelta(seconds=59))
        assert refused.value.exit_code == 5
        assert "run-1" in refused.value.message
        assert "2026-04-07 12:00:00" in refused.value.message

    def test_expired_lease_is_taken_over_with_a_higher_token(self, store: StateStore) -> None:
        first = lease_of(store)
        second = lease_of(store, "run-2", now=NOW + TTL)
        assert second.token > first.token

    def test_token_grows_over_releases_and_above_what_marks_say(self, store: StateStore) -> None:
        first = lease_of(store)
        store.release_lease(first)
        above = first.token + 40
        second = store.take_lease(PROD, RunId("run-2"), process="", now=NOW, ttl=TTL, above=above)
        assert second.token == above + 1
        store.release_lease(second)
        assert lease_of(store, "run-3").token == above + 2

    def test_first_token_is_above_those_that_a_lost_state_has_given(self, store: StateStore) -> None:
        given = [lease_of(store, f"run-{number}", now=NOW + number * TTL).token for number in range(3)]
        never_used, later = EnvironmentName("never_used"), NOW + 3 * TTL
        first = store.take_lease(never_used, RunId("run-4"), process="", now=later, ttl=TTL, above=0)
        assert first.token > max(given)

    def test_renewed_lease_lasts_longer(self, store: StateStore) -> None:
        lease = store.renew_lease(lease_of(store), now=NOW + timedelta(seconds=50), ttl=TTL)
        with pytest.raises(LeaseHeld):
            lease_of(store, "run-2", now=NOW + timedelta(seconds=100))
        assert store.current_lease(PROD) == lease

    def test_lost_lease_is_neither_renewed_nor_released(self, store: StateStore) -> None:
        stale = lease_of(store)
        holder = lease_of(store, "run-2", now=NOW + TTL)
        with pytest.raises(LeaseLost):
            store.renew_lease(stale, now=NOW, ttl=TTL)
        store.release_lease(stale)
        store.break_lease(stale)
        assert store.current_lease(PROD) == holder

    def test_broken_lease_is_free(self, store: StateStore) -> None:
        store.break_lease(lease_of(store))
        assert store.current_lease(PROD) is None
        lease_of(store, "run-2")

    def test_i5_every_write_of_a_stale_run_is_refused(self, store: StateStore, stages: Stager) -> None:
        stale = lease_of(store)
        stages("c1", "mem:1")
        lease_of(store, "run-2", now=NOW + TTL)
        before = store.view(PROD)
        writes: tuple[Callable[[], object], ...] = (
            lambda: store.begin(run_of("run-1"), stale, now=NOW),
            lambda: store.intend(intent_of("c1"), stale),
            lambda: store.fold(PROD, stale, touches=(touch_of("raw.orders", "1"),), models=()),
            lambda: store.record(published_of("c1", base=None, pointer="mem:1"), stale, at=NOW, execution_time=NOW),
            lambda: store.fail((failure_of(days(1, 2)),), stale),
            lambda: store.ask_again({ORDERS: (days(1, 2),)}, stale),
            lambda: store.expire(frozenset(), stale, now=NOW),
            lambda: store.rename((rename_of("sales.orders", "sales.other"),), stale),
        )
        for write in writes:
            with pytest.raises(LeaseLost):
                write()
        assert store.view(PROD) == before
        assert store.intents(PROD) == ()


class RenameBehaviour:
    """A table gets another name, and nothing else of it changes."""

    def test_tables_get_their_names_in_one_moment(self, store: StateStore, stages: Stager, pointer: Pointer) -> None:
        lease = lease_of(store)
        for commit, table in (("c1", "sales.orders"), ("c2", "sales.other")):
            stages(commit, f"mem:{commit}")
            published = published_of(commit, base=None, pointer=f"mem:{commit}")
            store.record(
                published.replace(move=published.move.replace(target=TableName(table))),
                lease,
                at=NOW,
                execution_time=NOW,
            )
        before = store.view(PROD)
        swap = (rename_of("sales.orders", "sales.other"), rename_of("sales.other", "sales.orders"))
        assert store.rename(swap, lease) == swap
        assert (pointer("sales.other"), pointer("sales.orders")) == ("mem:c1", "mem:c2")
        assert store.view(PROD) == before

    def test_a_name_that_was_taken_meanwhile_is_left_to_its_table(
        self, store: StateStore, stages: Stager, pointer: Pointer
    ) -> None:
        lease = lease_of(store)
        stages("c1", "mem:1")
        store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
        assert store.rename((rename_of("sales.gone", "sales.other"),), lease) == ()
        assert store.rename((rename_of("sales.gone", "sales.orders"),), lease) == ()
        done = rename_of("sales.orders", "sales.other")
        assert store.rename((done,), lease) == (done,)
        assert (pointer(), pointer("sales.other")) == (None, "mem:1")


class RecordBehaviour:
    """A publish and its records: all or nothing, and only from the base."""

    def test_first_build_appears_whole(self, store: StateStore, stages: Stager, pointer: Pointer) -> None:
        lease = lease_of(store)
        stages("c1", "mem:1")
        touch = store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
        view = store.view(PROD)
        assert pointer() == "mem:1"
        assert touch.sequence == 1
        assert touch.rows == RowCounts(on_time=3)
        assert view.touches == {TableName("sales.orders"): (touch,)}
        assert view.models[ORDERS].coverage == coverage_of(days(1, 2))
        assert view.models[ORDERS].pointer == "mem:1"

    def test_first_build_is_refused_where_a_table_is(self, store: StateStore, stages: Stager, pointer: Pointer) -> None:
        lease = lease_of(store)
        stages("c1", "mem:1")
        store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
        stages("c2", "mem:2")
        with pytest.raises(PublishConflict):
            store.record(published_of("c2", base=None, pointer="mem:2"), lease, at=NOW, execution_time=NOW)
        assert pointer() == "mem:1"

    def test_i2_tables_of_one_publication_become_visible_together_or_not_at_all(
        self, store: StateStore, stages: Stager, pointer: Pointer
    ) -> None:
        lease = lease_of(store)
        stages("c1", "mem:1")
        store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
        stages("c2", "mem:2")
        stages("c3", "mem:3")
        beside = Move(TableName("sales.rejected"), base="mem:0", pointer="mem:3", stage=stage_of(CommitId("c3")))
        published = published_of("c2", base="mem:1", pointer="mem:2").replace(beside=(beside,))
        with pytest.raises(PublishConflict, match=r"sales\.rejected"):
            store.record(published, lease, at=NOW, execution_time=NOW)
        assert pointer() == "mem:1"
        together = published.replace(beside=(beside.replace(base=None),))
        store.record(together, lease, at=NOW, execution_time=NOW)
        assert pointer() == "mem:2"
        assert pointer("sales.rejected") == "mem:3"

    def test_moved_table_refuses_a_batch_staged_before(
        self, store: StateStore, stages: Stager, pointer: Pointer
    ) -> None:
        lease = lease_of(store)
        for commit, base, target in (("c1", None, "mem:1"), ("c2", "mem:1", "mem:2")):
            stages(commit, target)
            store.record(published_of(commit, base=base, pointer=target), lease, at=NOW, execution_time=NOW)
        stages("c3", "mem:3")
        before = store.view(PROD)
        with pytest.raises(PublishConflict):
            store.record(published_of("c3", base="mem:1", pointer="mem:3"), lease, at=NOW, execution_time=NOW)
        assert pointer() == "mem:2"
        assert store.view(PROD) == before

    def test_record_drops_the_intent_and_keeps_history(self, store: StateStore, stages: Stager) -> None:
        lease = lease_of(store)
        store.intend(intent_of("c0"), lease)
        store.intend(intent_of("c1"), lease)
        stages("c1", "mem:1")
        store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
        assert [intent.commit for intent in store.intents(PROD)] == ["c0"]
        store.abandon(CommitId("c0"))
        assert store.intents(PROD) == ()
        assert [(batch.commit, batch.rows_written) for batch in store.batches(PROD, ORDERS, limit=9)] == [("c1", 3)]

    def test_what_checks_said_is_kept_with_the_batch_or_its_failure(self, store: StateStore, stages: Stager) -> None:
        lease = lease_of(store)
        stages("c1", "mem:1")
        sound, filled = check_of("sound"), check_of("filled")
        published = published_of("c1", base=None, pointer="mem:1").replace(checks=(sound, filled))
        store.record(published, lease, at=NOW, execution_time=NOW)
        wrong, at = sound.replace(passed=False, observed=2), NOW + TTL
        store.fail((failure_of(days(1, 4)),), lease, (CheckRecord(run_id=lease.holder, at=at, result=wrong),))
        kept = [(item.result, item.at, item.run_id) for item in store.checks(PROD, ORDERS, limit=9)]
        assert kept == [(filled, NOW, lease.holder), (wrong, at, lease.holder), (sound, NOW, lease.holder)]
        assert [item.result for item in store.checks(PROD, ORDERS, limit=1)] == [filled, wrong]
        assert store.checks(EnvironmentName("other"), ORDERS, limit=9) == ()
        assert store.checks(PROD, ModelName("sales.other"), limit=9) == ()

    def test_checks_of_a_refused_publication_are_not_kept(self, store: StateStore, stages: Stager) -> None:
        lease = lease_of(store)
        stages("c1", "mem:1")
        published = published_of("c1", base="mem:0", pointer="mem:1").replace(checks=(check_of("sound"),))
        with pytest.raises(PublishConflict):
            store.record(published, lease, at=NOW, execution_time=NOW)
        assert store.checks(PROD, ORDERS, limit=9) == ()

    def test_built_slices_clear_their_failures_and_requests_and_no_others(
        self, store: StateStore, stages: Stager
    ) -> None:
        lease = lease_of(store)
        store.ask_again({ORDERS: (days(1, 3),)}, lease)
        store.fail((failure_of(days(1, 4)), failure_of(days(5, 6))), lease)
        stages("c1", "mem:1")
        published = published_of("c1", base=None, pointer="mem:1", span=days(2, 3))
        store.record(published, lease, at=NOW, execution_time=NOW)
        view = store.view(PROD)
        assert [failure.interval for failure in view.failures] == [days(1, 2), days(3, 4), days(5, 6)]
        assert view.requests == {ORDERS: (days(1, 2),)}

    def test_a_table_made_again_answers_every_request(self, store: StateStore, stages: Stager) -> None:
        lease = lease_of(store)
        store.ask_again({ORDERS: (days(1, 9),)}, lease)
        stages("c1", "mem:1")
        published = published_of("c1", base=None, pointer="mem:1", span=days(2, 3))
        whole = published.replace(batch=published.batch.replace(mode="replace_all"))
        store.record(whole, lease, at=NOW, execution_time=NOW)
        assert store.view(PROD).requests == {}

    def test_asking_again_ends_the_rest_of_failures_and_adds_to_what_was_asked(self, store: StateStore) -> None:
        lease, failed = lease_of(store), failure_of(days(2, 4)).replace(attempts=3)
        store.ask_again({ORDERS: (days(1, 2),)}, lease)
        store.fail((failed.replace(next_try=NOW), failure_of(days(5, 6)).replace(lost_file="a.parquet")), lease)
        store.ask_again({ORDERS: (days(2, 3),), ModelName("sales.other"): ()}, lease)
        view = store.view(PROD)
        assert view.failures == (failed,)
        assert view.requests == {ORDERS: (days(1, 3),)}

    def test_asking_again_leaves_failures_of_other_models_alone(self, store: StateStore) -> None:
        lease, failed = lease_of(store), failure_of(days(2, 4)).replace(next_try=NOW)
        store.fail((failed,), lease)
        store.ask_again({ModelName("sales.other"): ()}, lease)
        assert store.view(PROD).failures == (failed,)

    def test_later_failure_takes_the_place_of_an_earlier_one(self, store: StateStore) -> None:
        lease = lease_of(store)
        store.fail((failure_of(days(1, 4)),), lease)
        store.fail((failure_of(days(2, 3)).replace(attempts=2),), lease)
        found = [(failure.interval, failure.attempts) for failure in store.view(PROD).failures]
        assert found == [(days(1, 2), 1), (days(2, 3), 2), (days(3, 4), 1)]


class LogBehaviour:
    """Logs are ordered, and hold what some reader has not folded."""

    def test_touches_get_sequences_and_a_wrong_one_is_refused(self, store: StateStore) -> None:
        lease = lease_of(store)
        store.fold(PROD, lease, touches=(touch_of("raw.orders", "1"), touch_of("raw.orders", "2")), models=())
        with pytest.raises(LogOutOfStep):
            store.fold(PROD, lease, touches=(touch_of("raw.orders", "3").replace(sequence=7),), models=())
        store.fold(PROD, lease, touches=(touch_of("raw.orders", "3").replace(sequence=3),), models=())
        assert store.view(PROD).touches[RAW][-1].sequence == 3

    def test_touches_are_kept_for_the_slowest_reader(self, store: StateStore) -> None:
        lease = lease_of(store)
        slow, fast = ModelName("sales.slow"), ModelName("sales.fast")
        store.fold(PROD, lease, touches=(), models=(_reader(slow, 2), _reader(fast, 5)))
        touches = tuple(touch_of("raw.orders", str(number)) for number in range(1, 7))
        store.fold(PROD, lease, touches=touches, models=())
        assert [touch.sequence for touch in store.view(PROD).touches[RAW]] == [3, 4, 5, 6]
        store.fold(PROD, lease, touches=(), models=(_reader(slow, 6), _reader(fast, 6)))
        assert [touch.sequence for touch in store.view(PROD).touches[RAW]] == [6]

    def test_log_does_not_grow_with_history(self, store: StateStore) -> None:
        lease = lease_of(store)
        for number in range(1, 101):
            touch = touch_of("raw.orders", str(number))
            store.fold(PROD, lease, touches=(touch,), models=(_reader(ORDERS, number),))
        assert len(store.view(PROD).touches[RAW]) == 1

    def test_environments_do_not_see_each_other(self, store: StateStore) -> None:
        lease = lease_of(store)
        store.fold(PROD, lease, touches=(touch_of("raw.orders", "1"),), models=(_reader(ORDERS, 1),))
        other = store.view(type(PROD)("dev"))
        assert (other.models, other.touches) == ({}, {})


class HistoryBehaviour:
    """Runs and plans are found again."""

    def test_identity_of_a_lost_store_is_taken_over(self, store: StateStore) -> None:
        store.adopt("the one before", lease_of(store))
        assert store.identity == "the one before"

    def test_runs_are_listed_newest_first_with_their_end(self, store: StateStore) -> None:
        lease = lease_of(store)
        store.begin(run_of("run-1"), lease, now=NOW)
        store.begin(run_of("run-2"), lease, now=NOW)
        store.finish(run_of("run-1", status="success"))
        assert [(run.run_id, run.status) for run in store.runs(PROD, limit=5)] == [
            ("run-2", "running"),
            ("run-1", "success"),
        ]
        assert store.run(PROD, RunId("run-1")) == run_of("run-1", status="success")
        assert store.run(PROD, RunId("run-9")) is None

    def test_a_run_that_was_killed_is_closed_by_the_next_one(self, store: StateStore) -> None:
        store.begin(run_of("run-1"), lease_of(store), now=NOW)
        store.begin(run_of("run-2"), lease_of(store, "run-2", now=NOW + TTL), now=NOW + TTL)
        assert [(run.run_id, run.status) for run in store.runs(PROD, limit=5)] == [
            ("run-2", "running"),
            ("run-1", "interrupted"),
        ]

    def test_plan_is_found_by_an_unambiguous_beginning(self, store: StateStore) -> None:
        for plan_id in ("abc1", "abd2"):
            store.save_plan(plan_of(plan_id))
        assert store.load_plan(PROD, PlanId("abc")) == plan_of("abc1")
        assert store.load_plan(PROD, PlanId("ab")) is None
        assert store.load_plan(PROD, PlanId("")) is None
        assert store.load_plan(PROD, PlanId("x")) is None


class StateBehaviour(LeaseBehaviour, RenameBehaviour, RecordBehaviour, LogBehaviour, HistoryBehaviour):
    """The whole port."""


def _reader(model: ModelName, sequence: int, span: Interval | None = None) -> ModelRecord:
    cursor = Cursor(RAW, Position(str(sequence)), sequence)
    return ModelRecord(model, pointer=None, position=None, coverage=coverage_of(span or days(1, 2), cursor=cursor))
