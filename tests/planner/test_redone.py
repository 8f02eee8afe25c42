"""What `rebuild` builds in every run, what it leaves pending, and what a status says of both."""

from datetime import datetime

import pytest
from tests.planner.making import ORDERS, built, day, days, facts, graph, model, touch, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.decide import decide
from lamina.planner.failures import conditions_of
from lamina.planner.fold import fold
from lamina.planner.now import Now
from lamina.planner.plan import build_plan
from lamina.planner.readiness import Upstream
from lamina.planner.redone import late_ranges, not_shortened, redone_ranges
from lamina.planner.standing import model_status
from lamina.project.strategy import TimeInterval
from lamina.strategies.table import traits_of
from lamina.strategies.traits import Slices
from lamina.values.coverage import Coverage, Debt
from lamina.values.facts import Facts, Failure, ModelFacts
from lamina.values.grid import Grid, Unit
from lamina.values.interval import MAX, MIN, Interval
from lamina.values.names import ColumnName, EnvironmentName, Fingerprint, ModelName, Position, RunId, TableName
from lamina.values.plan import Action, Block, Build, Hold, Rebuild, Selection, Skip

GRID, NOON = Grid("day"), day(8, hour=12)
EVER = Interval(MIN, MAX)


def slices(rebuild: str, unit: Unit = "day") -> Slices:
    settings = TimeInterval(time_column=ColumnName("day"), granularity=unit, rebuild=rebuild)
    found = traits_of(settings).slices
    assert found is not None
    return found


def daily(rebuild: str, *, by: str | None = "day") -> CompiledModel:
    strategy = TimeInterval(time_column=ColumnName("day"), rebuild=rebuild)
    return model(inputs=(use(by=by),), strategy=strategy, start="2026-04-01")


PARTIAL = model(
    inputs=(use(by="day"),),
    strategy=TimeInterval(time_column=ColumnName("day")),
    start="2026-04-01",
    cron="@hourly",
    allow_partials=True,
)


def touched(subject: CompiledModel, *spans: Interval) -> ModelFacts:
    """Return a model built up to the seventh, of which ranges of the input changed since."""
    coverage = built(subject, days(1, 7), positions={"raw.orders": "1"})
    log = (touch("2", "1", *spans),) if spans else ()
    return facts(fold(coverage, subject, touches={ORDERS: log}, heads={})[0])


def decided(
    subject: CompiledModel, known: ModelFacts, *, at: datetime = NOON, redoes: bool = True
) -> tuple[Action, ...]:
    return decide(subject, known, Now(at, Selection(), {}, {}, redoes))


@pytest.mark.parametrize(
    ("rebuild", "unit", "expected"),
    [
        ("stale", "day", ()),
        ("always", "day", (days(1, 7),)),
        ("last_days:1", "day", (Interval(day(8), NOON),)),
        ("last_days:3", "day", (Interval(day(6), NOON),)),
        ("last_days:3", "hour", (Interval(day(8, hour=10), NOON),)),
        ("last_days:2", "month", (Interval(day(1, month=3), day(8)),)),  # as far as it is due
    ],
)
def test_units_that_every_run_builds(rebuild: str, unit: Unit, expected: tuple[Interval, ...]) -> None:
    found = redone_ranges(
        slices(rebuild, unit),
        days(1, 7),
        grid=Grid(unit),
        lifetime=EVER,
        execution_time=NOON,
    )
    assert found == expected


def test_last_units_are_those_of_the_models_time() -> None:
    def found(lifetime: Interval) -> tuple[Interval, ...]:
        return redone_ranges(slices("last_days:3"), None, grid=GRID, lifetime=lifetime, execution_time=NOON)

    assert found(days(7, 30)) == (Interval(day(7), NOON),)
    assert found(days(1, 6)) == (days(6),)
    assert found(days(1, 5)) == ()


def test_a_day_that_is_due_in_part_is_built_as_far_as_it_is_due() -> None:
    due = Interval(day(1), day(8, hour=9))
    (found,) = redone_ranges(slices("last_days:2"), due, grid=GRID, lifetime=EVER, execution_time=NOON)
    assert found == Interval(day(7), day(8, hour=9))


def test_the_first_instant_of_a_day_has_nothing_of_that_day() -> None:
    assert redone_ranges(slices("last_days:1"), days(1, 7), grid=GRID, lifetime=EVER, execution_time=day(8)) == ()


def test_a_hundred_thousand_years_reach_back_to_the_beginning() -> None:
    subject = daily("last_days:100000")
    assert late_ranges(subject, Coverage(), grid=Grid("year"), execution_time=NOON) == ()
    (found,) = redone_ranges(
        slices("last_days:100000", "year"), None, grid=Grid("year"), lifetime=days(1, 30), execution_time=NOON
    )
    assert found == Interval(day(1), NOON)


def test_clean_slices_are_built_in_every_run_and_called_current() -> None:
    subject = daily("always")
    known = touched(subject)
    (action,) = decided(subject, known)
    assert isinstance(action, Build)
    assert action.intervals == (days(1, 7),)
    (idle,) = decided(subject, known, redoes=False)
    assert idle == Skip(subject.name, "unchanged; every slice is built in every run")
    assert model_status(subject, known, (idle,)).status == "current"


def test_a_changed_slice_is_stale_whatever_every_run_builds() -> None:
    subject = daily("always")
    known = touched(subject, days(3))
    status = model_status(subject, known, decided(subject, known, redoes=False))
    assert (status.status, status.stale) == ("stale", (days(3),))


def test_late_rows_before_the_last_days_are_held_and_called_so() -> None:
    subject = daily("last_days:3")
    known = touched(subject, days(2), days(6))
    build, hold = decided(subject, known)
    assert isinstance(build, Build)
    assert build.intervals == (Interval(day(6), NOON),)
    assert isinstance(hold, Hold)
    assert hold.intervals == (days(2),)
    only = touched(subject, days(2))
    status = model_status(subject, only, decided(subject, only, redoes=False))
    assert (status.status, status.stale) == ("held", ())
    assert "stays pending until it is requested" in status.reason


def test_a_requested_slice_is_not_held() -> None:
    subject = daily("last_days:3")
    known = touched(subject, days(2)).replace(requests=(days(2),))
    (build,) = decided(subject, known)
    assert isinstance(build, Build)
    assert build.intervals == (days(2), Interval(day(6), NOON))


def test_slices_of_older_code_and_missing_ones_are_not_held() -> None:
    subject = daily("last_days:3")
    known = touched(subject, days(2))
    edited = known.replace(coverage=known.coverage.replace(segments=known.coverage.segments[:2]))
    (build, _) = decided(subject, edited)
    assert isinstance(build, Build)
    assert build.intervals == (Interval(day(3), NOON),)


@pytest.mark.parametrize(
    "debt",
    [
        Debt(input=TableName("@as_of"), since=None, position=Position("2026-04-07")),
        Debt(input=TableName("sales.stats"), since=Position("1"), position=Position("2"), is_foreign=True),
        Debt(input=TableName("raw.orders"), since=Position("1"), position=Position("2"), is_foreign=True),
    ],
)
def test_only_rows_of_inputs_can_be_late(debt: Debt) -> None:
    subject = daily("last_days:3")
    coverage = built(subject, days(1, 7))
    owing = coverage.replace(segments=tuple(item.replace(debts=(debt,)) for item in coverage.segments))
    assert late_ranges(subject, owing, grid=GRID, execution_time=NOON) == ()


def test_an_input_that_is_read_whole_has_no_late_rows() -> None:
    subject = daily("last_days:3", by=None)
    (build,) = decided(subject, touched(subject, days(2)))
    assert isinstance(build, Build)
    assert build.intervals == (Interval(day(1), NOON),)


def test_slices_whose_rows_only_the_table_holds_are_not_built_again() -> None:
    subject = daily("always")
    known = touched(subject)
    kept = known.replace(coverage=known.coverage.replace(held=(days(3),)))
    (build,) = decided(subject, kept)
    assert isinstance(build, Build)
    assert build.intervals == (days(1, 2), days(4, 7))


def test_slices_whose_inputs_are_not_there_yet_wait_in_silence() -> None:
    subject = daily("last_days:3").replace(inputs=(use("sales.daily", by="day"),))
    name = ModelName("sales.daily")
    parent = Upstream(name=name, grid=GRID, start=day(1), end=None, due=days(1, 7), built=(days(1, 7),))
    coverage = built(subject, days(1, 7), positions={"sales.daily": "1"})
    now = Now(NOON, Selection(), {TableName("sales.daily"): parent}, {})
    (build,) = decide(subject, facts(coverage), now)
    assert isinstance(build, Build)
    assert build.intervals == (days(6, 7),)


def test_flags_that_name_slices_build_those_alone() -> None:
    subject = daily("always")
    known = touched(subject)
    for selection, expected in ((Selection(partition="2026-04-03"), (days(3),)), (Selection(is_missing=True), ())):
        (action,) = decide(subject, known, Now(NOON, selection, {}, {}))
        assert getattr(action, "intervals", ()) == expected


def failed(subject: CompiledModel, known: ModelFacts, *spans: Interval) -> ModelFacts:
    """Return a model of which slices failed at ten, and rest until midnight."""
    failures = tuple(
        Failure(
            model=subject.name,
            interval=span,
            fingerprint=subject.fingerprint,
            pins={ORDERS: Position("1")},
            kind="data_rejected",
            message="a check failed",
            attempts=1,
            first_seen=day(8, hour=10),
            run_id=RunId("run-1"),
            conditions=conditions_of(subject, known, NOON),
            tried_at=day(8, hour=10),
            next_try=day(9),
        )
        for span in spans
    )
    return known.replace(failures=failures)


@pytest.mark.parametrize("subject", [daily("last_days:1"), PARTIAL], ids=["of every run", "built in part"])
def test_the_rest_of_a_day_that_failed_is_not_built_alone(subject: CompiledModel) -> None:
    known = failed(subject, touched(subject), Interval(day(8), day(8, hour=10)))
    (block,) = decided(subject, known)
    assert isinstance(block, Block)
    assert block.intervals == (Interval(day(8), NOON),)


def test_a_slice_that_failed_when_it_was_built_once_more_is_not_called_current() -> None:
    subject = daily("always")
    known = failed(subject, touched(subject), days(3))
    status = model_status(subject, known, decided(subject, known, redoes=False))
    assert (status.status, status.stale) == ("failed", ())
    later = decided(subject, known, at=day(9, hour=1), redoes=False)
    assert model_status(subject, known, later).status == "stale"


def test_nothing_but_missing_slices_is_built_where_only_these_are_requested() -> None:
    subject = daily("last_days:1").replace(settings=daily("last_days:1").settings.replace(start="2026-04-08"))
    (build,) = decided(subject, facts())
    assert isinstance(build, Build)
    assert build.intervals == (Interval(day(8), NOON),)
    (skip,) = decide(subject, facts(), Now(NOON, Selection(is_missing=True), {}, {}))
    assert isinstance(skip, Skip)


def test_a_rebuild_takes_the_day_of_now_along() -> None:
    subject = daily("last_days:2")
    (action,) = decided(subject.replace(fingerprint=Fingerprint("v2")), touched(subject))
    assert isinstance(action, Rebuild)
    assert action.intervals == (Interval(day(1), NOON),)


def test_models_that_a_selection_only_needs_build_stale_slices_alone() -> None:
    subject = daily("always")
    selection = Selection(models=(ModelName("sales.other"),), upstreams=(subject.name,))
    (action,) = decide(subject, touched(subject), Now(NOON, selection, {}, {}))
    assert isinstance(action, Skip)
    (build,) = decide(subject, touched(subject, days(2)), Now(NOON, selection, {}, {}))
    assert isinstance(build, Build)
    assert build.intervals == (days(2),)


def test_the_readers_of_a_model_that_is_built_in_every_run_are_called_current() -> None:
    parent = daily("always").replace(name=ModelName("sales.daily"), target=TableName("sales.daily"))
    reader = model("sales.copy", inputs=(use("sales.daily", reads=("day",)),), layer=1)
    known = {
        parent.name: touched(parent),
        reader.name: facts(built(reader, EVER, positions={"sales.daily": "p1"})),
    }
    seen = Facts(execution_time=NOON, heads={}, models=known, touches={})
    environment = EnvironmentName("prod")
    plan = build_plan(graph(parent, reader), seen, environment=environment, selection=Selection())
    assert [type(action) for action in plan.actions] == [Build, Build]
    stale = build_plan(graph(parent, reader), seen, environment=environment, selection=Selection(), redoes=False)
    assert [type(action) for action in stale.actions] == [Skip, Skip]


@pytest.mark.parametrize(
    ("further", "expected"),
    [
        ((), Interval(day(6), NOON)),
        ((days(1, 7),), Interval(day(6), NOON)),
        ((Interval(day(1), NOON),), Interval(day(6), NOON)),
        ((Interval(day(1), day(8, hour=13)),), days(6, 7)),
        ((days(1, 8),), days(6, 7)),
        ((days(9),), Interval(day(6), NOON)),
    ],
)
def test_a_day_that_is_built_further_is_not_cut(further: tuple[Interval, ...], expected: Interval) -> None:
    assert not_shortened((Interval(day(6), NOON),), further, grid=GRID) == (expected,)
    assert not_shortened((days(6, 7),), further, grid=GRID) == (days(6, 7),)


def test_a_rebuild_does_not_wait_until_what_every_run_builds_follows_what_is_due() -> None:
    """On Wednesday of a week that is released on Mondays, what is due and the last day lie apart."""
    strategy = TimeInterval(time_column=ColumnName("day"), rebuild="last_days:1")
    subject = model(inputs=(use(by="day"),), strategy=strategy, start="2026-04-01", cron="0 0 * * 1")
    (rebuild,) = decided(subject.replace(fingerprint=Fingerprint("v2")), facts(built(subject, days(1, 5))))
    assert isinstance(rebuild, Rebuild)
    assert rebuild.intervals == (days(1, 5),)
