"""Whether a plan still fits, and whether it rebuilds more than one expects."""

import pytest
from tests.planner.making import DAILY, day, days, graph, model, plan

from lamina.errors import UsageError
from lamina.planner.review import PlanMoved, RebuildTooLarge, check_size, check_slices, moved_since
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import Fingerprint, ModelName, PlanId, Position, TableName
from lamina.values.plan import Assumed, Build, Plan, Rebuild, Selection

A, B = ModelName("sales.a"), ModelName("sales.b")


def assuming(plan_id: str, *, code: str = "v1", table: str | None = "t1", source: str | None = "s1") -> Plan:
    pins = {} if source is None else {TableName("raw.orders"): Position(source)}
    assumed = Assumed(fingerprints={A: Fingerprint(code)}, pins=pins, bases={A: table})
    return plan(plan_id=plan_id).replace(assumed=assumed)


def test_a_plan_that_would_come_out_the_same_fits() -> None:
    assert moved_since(assuming("1"), assuming("1")) == ()


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (assuming("2", code="v2"), ("the code of `sales.a` changed",)),
        (assuming("2", table="t2"), ("the table of `sales.a` moved",)),
        (assuming("2", table=None), ("the table of `sales.a` moved",)),
        (assuming("2", source="s2"), ("`raw.orders` can no longer be read as it was",)),
        (assuming("2", source=None), ("`raw.orders` can no longer be read as it was",)),
        (assuming("2"), ("what is recorded of the models changed",)),
        (assuming("2", code="v2", table="t2"), ("the code of `sales.a` changed", "the table of `sales.a` moved")),
    ],
)
def test_what_moved_is_named(now: Plan, words: tuple[str, ...]) -> None:
    assert moved_since(assuming("1"), now) == words


def test_a_model_that_came_since_counts_as_changed_code() -> None:
    now = assuming("2")
    more = {**now.assumed.fingerprints, B: Fingerprint("v1")}
    now = now.replace(assumed=now.assumed.replace(fingerprints=more))
    assert moved_since(assuming("1"), now) == ("the code of `sales.b` changed",)


def test_a_plan_that_moved_says_what_to_do() -> None:
    error = PlanMoved(PlanId("0123456789abcdef"), ("the code of `sales.a` changed",)).diagnostic()
    assert error.message == "plan `0123456789ab` no longer fits: the code of `sales.a` changed"
    assert "`lamina plan` makes a new plan" in (error.hint or "")


def test_only_rebuilds_count_against_the_limit() -> None:
    project = graph(model(A, strategy=DAILY), model(B))
    year = Interval(day(1, month=1), day(1, month=12))
    first = Build(model=A, intervals=(year,), reason="first build", mode="replace_slices")
    check_size(plan(first), project, limit=3)
    check_size(plan(Rebuild(model=A, intervals=(days(1, 2),), reason="r"), first), project, limit=2)


def test_slices_of_intervals_and_whole_tables_add_up() -> None:
    project = graph(model(A, strategy=DAILY), model(B))
    both = (
        Rebuild(model=A, intervals=(days(1, 3), days(5)), reason="r"),
        Rebuild(model=B, intervals=(WHOLE,), reason="r"),
    )
    check_size(plan(*both), project, limit=5)
    with pytest.raises(RebuildTooLarge, match=r"5 slices .* \(4\): `sales.a`, `sales.b`"):
        check_size(plan(*both), project, limit=4)


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(models=(A,), partition="2026-13-01"), "`2026-13-01` is not the key of a day"),
        (Selection(partition="2026-04"), "`2026-04` is not the key of a day"),
        (Selection(from_key="2026-04-09", to_key="2026-04-01"), "`--from 2026-04-09` is after `--to 2026-04-01`"),
        (Selection(models=(B,), partition="2026-04-01"), "slices are requested, but `sales.b` has none"),
        (Selection(models=(B,), is_latest=True), "slices are requested, but `sales.b` has none"),
    ],
)
def test_slices_that_cannot_be_meant_are_refused(selection: Selection, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_slices(selection, graph(model(A, strategy=DAILY), model(B)), execution_time=day(10))


@pytest.mark.parametrize(
    "selection",
    [
        Selection(models=(B,)),
        Selection(models=(B,), is_forced=True),
        Selection(partition="2026-04-01"),
        Selection(from_key="2026-04", lookback=2),
    ],
)
def test_slices_of_some_model_are_enough(selection: Selection) -> None:
    check_slices(selection, graph(model(A, strategy=DAILY), model(B)), execution_time=day(10))


@pytest.mark.parametrize(
    "slices",
    [
        Selection(partition="2026-04-07"),
        Selection(from_key="2026-04-01", to_key="2026-04-03"),
        Selection(is_latest=True),
        Selection(is_missing=True),
        Selection(lookback=2),
    ],
)
def test_a_full_refresh_of_single_slices_is_refused(slices: Selection) -> None:
    project = graph(model(A, strategy=DAILY))
    with pytest.raises(UsageError, match="`--full-refresh` rebuilds whole tables") as caught:
        check_slices(slices.replace(is_full_refresh=True), project, execution_time=day(9))
    assert caught.value.exit_code == 64
    check_slices(Selection(is_full_refresh=True), project, execution_time=day(9))
