"""A change of the grid keeps what lies on both grids; the rest stays older code, and is built with its whole unit."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.planner.making import ORDERS, built, day, days, facts, model, touch, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.agreement import differences
from lamina.planner.decide import decide
from lamina.planner.fold import fold
from lamina.planner.logic import logic_of
from lamina.planner.now import Now
from lamina.planner.recover import Recorded
from lamina.planner.regrid import on_new_grid, within_both
from lamina.planner.segments import covered, fuse, indebted
from lamina.project.strategy import TimeInterval
from lamina.values.coverage import Coverage, Debt, Mark, Segment
from lamina.values.facts import Head
from lamina.values.grid import Grid, Unit, floor_unit
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName, Fingerprint, Position
from lamina.values.plan import Action, Build, Rebuild, Selection, Skip

BY_DAY = use(by="day")
# April 2026: the 6th, 13th, 20th and 27th are Mondays.
W15, W16 = Interval(day(6), day(13)), Interval(day(13), day(20))


def cut(
    unit: str, *, zone: str = "UTC", batch_size: int = 5, start: str = "2026-04-06", **changes: object
) -> CompiledModel:
    """Return one query on a grid; only its fingerprint knows the grid."""
    strategy = TimeInterval(ColumnName("day"), batch_size=batch_size).replace(granularity=unit)
    subject = model(
        inputs=(BY_DAY,), strategy=strategy, fingerprint=f"{unit} {zone}", start=start, timezone=zone
    ).replace(gridless_fingerprint=Fingerprint("query"))
    return subject.replace(**changes)


def covering(subject: CompiledModel, *spans: Interval) -> Coverage:
    known = built(subject, *spans, positions={str(ORDERS): "1"})
    return known.replace(logics=(logic_of(subject),), start=day(6).isoformat())


def taken(subject: CompiledModel, coverage: Coverage) -> list[Interval]:
    after = on_new_grid(subject, coverage)
    return [item.interval for item in after.segments if item.logic == subject.fingerprint]


def decided(subject: CompiledModel, coverage: Coverage, at: datetime) -> tuple[Action, ...]:
    return decide(subject, facts(coverage), Now(execution_time=at, selection=Selection(), upstream={}, touches={}))


def test_whole_weeks_of_days_are_kept_and_the_days_beside_them_stay_older_code() -> None:
    coverage = covering(cut("day"), days(2, 22))
    after = on_new_grid(cut("week"), coverage)
    assert taken(cut("week"), coverage) == [Interval(day(6), day(20))]
    assert covered(after) == covered(coverage)
    assert [item.interval for item in after.segments if item.logic == "day UTC"] == [days(2, 5), days(20, 22)]
    assert {logic.fingerprint for logic in after.logics} == {"day UTC", "week UTC"}


def test_weeks_are_kept_as_days() -> None:
    assert taken(cut("day"), covering(cut("week"), W15, W16)) == [Interval(day(6), day(20))]


def test_an_unfinished_week_is_kept_up_to_its_last_whole_week() -> None:
    # The bounds of the query were those of a week: what a week in the making holds of its days is not proven.
    assert taken(cut("day"), covering(cut("week"), Interval(day(6), day(16)))) == [W15]


def test_a_week_that_owes_in_part_is_built_again_as_a_whole() -> None:
    daily, weekly = cut("day"), cut("week")
    owing, _ = fold(covering(daily, days(6, 19)), daily, touches={ORDERS: (touch("2", "1", days(14)),)}, heads={})
    assert taken(weekly, owing) == [W15]
    (work,) = decided(weekly, owing, day(21))
    assert isinstance(work, Build)
    assert work.intervals == (W16,)
    assert work.reason.startswith(
        "the granularity changed from `day` to `week`: 1 week kept; not kept from the old grid: 2026-W16"
    )


def test_a_debt_of_whole_weeks_is_kept_with_them() -> None:
    daily, weekly = cut("day"), cut("week")
    owing, _ = fold(covering(daily, days(6, 19)), daily, touches={ORDERS: (touch("2", "1", W16),)}, heads={})
    after = on_new_grid(weekly, owing)
    assert [item.interval for item in after.segments] == [W15, W16]
    assert {item.logic for item in after.segments} == {"week UTC"}
    assert indebted(after) == (W16,)


def test_days_after_the_last_whole_week_stay_until_their_week_is_due() -> None:
    (action,) = decided(cut("week"), covering(cut("day"), days(6, 22)), day(23))
    assert isinstance(action, Skip)
    assert action.reason == (
        "the granularity changed from `day` to `week`: 2 weeks kept; "
        "2026-W17 (unfinished) stays as it is until it is due"
    )
    (work,) = decided(cut("week"), covering(cut("day"), days(6, 22)), day(27))
    assert isinstance(work, Build)
    assert work.intervals == (Interval(day(20), day(27)),)


def test_days_behind_a_week_go_on_day_by_day() -> None:
    (work,) = decided(cut("day"), covering(cut("week"), W15), day(15))
    assert isinstance(work, Build)
    assert work.intervals == (days(13, 14),)
    assert "the granularity changed from `week` to `day`: 7 days kept; 2 days missing" in work.reason


def test_what_fits_no_unit_of_the_new_grid_is_rebuilt() -> None:
    (work,) = decided(cut("week"), covering(cut("day"), days(7, 12)), day(14))
    assert isinstance(work, Rebuild)
    assert work.reason == "the granularity changed from `day` to `week`"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (cut("day"), cut("week", batch_size=1)),
        (cut("day", batch_size=1), cut("week")),
        (cut("day"), cut("week", kind="python")),
        (cut("day"), cut("week", settings=cut("week").settings.replace(allow=("L401",)))),
        (cut("day"), cut("week", inputs=(use(by="day", on_touch="keep"),))),
        (cut("day"), cut("week", inputs=(BY_DAY, use("sales.stats", by="day")))),
        (cut("day"), cut("week", gridless_fingerprint=Fingerprint("other query"))),
        (cut("day", gridless_fingerprint=None), cut("week", gridless_fingerprint=None)),
    ],
    ids=["one slice", "was one slice", "python", "allowed", "keep", "own past", "other query", "not known"],
)
def test_nothing_is_kept_where_slices_may_depend_on_how_time_is_cut(was: CompiledModel, now: CompiledModel) -> None:
    coverage = covering(was, days(6, 19))
    assert on_new_grid(now, coverage) == coverage


def test_a_zone_with_the_same_midnights_keeps_everything() -> None:
    before, after = cut("day", zone="Europe/Stockholm"), cut("day", zone="Europe/Berlin")
    span = Interval(day(5, hour=22), day(12, hour=22))
    assert taken(after, covering(before, span)) == [span]
    (action,) = decided(
        after.replace(settings=after.settings.replace(end="2026-04-12")), covering(before, span), day(14)
    )
    assert action.reason == "the timezone changed from `Europe/Stockholm` to `Europe/Berlin`: 7 days kept"


def test_a_zone_with_other_midnights_keeps_no_days_and_all_hours() -> None:
    assert taken(cut("day", zone="Europe/Stockholm"), covering(cut("day"), days(6, 19))) == []
    assert taken(cut("hour", zone="Europe/Stockholm"), covering(cut("hour"), days(6, 19))) == [days(6, 19)]


def test_what_is_left_of_an_earlier_grid_is_not_said_to_change_now() -> None:
    former, daily, weekly = cut("day", zone="Europe/Berlin"), cut("day"), cut("week")
    before = covering(daily, days(6, 19))
    left = Segment(interval=Interval(day(5, hour=22), day(6)), logic=former.fingerprint)
    both = before.replace(segments=(left, *before.segments), logics=(logic_of(daily), logic_of(former)))
    (action,) = decided(weekly, both, day(21))
    assert action.reason == "the granularity changed from `day` to `week`: 2 weeks kept"


def test_local_dates_are_other_rows_in_another_zone() -> None:
    dates = model(column_type="date").columns
    before, after = (cut("day", zone=f"Europe/{city}").replace(columns=dates) for city in ("Stockholm", "Berlin"))
    assert taken(after, covering(before, Interval(day(5, hour=22), day(12, hour=22)))) == []
    daily, weekly = (cut(unit).replace(columns=dates) for unit in ("day", "week"))
    assert taken(weekly, covering(daily, days(6, 19))) == [Interval(day(6), day(20))]


def test_a_range_that_was_taken_over_is_no_difference_between_state_and_mark() -> None:
    daily, weekly = cut("day"), cut("week")
    coverage, head = covering(daily, days(6, 22)), Head(table=daily.target, pointer="p", position=Position("7"))
    mark = Mark("c", "r", 1, "p", "prod", "s", str(daily.name), daily.fingerprint, (days(6, 22),), {}, coverage)
    held = Recorded(pointer="p", position=Position("7"), coverage=on_new_grid(weekly, coverage))
    assert held.coverage != coverage
    assert differences(held, head, model=daily.name, mark=mark) == ()


UNITS: tuple[Unit, ...] = ("hour", "day", "week", "month")
ZONES = ("UTC", "Europe/Stockholm", "Europe/London", "Asia/Kolkata")
FIRST = day(1, month=2)
HOURS = st.integers(0, 24 * 90)


@given(HOURS, HOURS, st.sampled_from(UNITS), st.sampled_from(UNITS), st.sampled_from(ZONES), st.sampled_from(ZONES))
def test_kept_is_the_largest_range_between_bounds_of_both_grids(
    first: int, length: int, old: Unit, new: Unit, was: str, now: str
) -> None:
    start = FIRST + timedelta(hours=first)
    span, grids = Interval(start, start + timedelta(hours=length + 1)), (Grid(old, was), Grid(new, now))
    steps = (span.start + timedelta(minutes=30 * number) for number in range(2 * length + 3))
    common = [at for at in steps if all(floor_unit(grid, at) == at for grid in grids)]
    expected = Interval(common[0], common[-1]) if len(common) > 1 else None
    assert within_both(span, *grids) == expected


@given(st.lists(st.sampled_from((None, "clean", "1", "2")), min_size=1, max_size=40), st.sampled_from(UNITS))
def test_a_new_grid_changes_no_debt_and_no_covered_range(cells: list[str | None], unit: Unit) -> None:
    daily, new = cut("day"), cut(unit)
    marks = [
        Segment(
            interval=Interval(FIRST + timedelta(days=number), FIRST + timedelta(days=number + 1)),
            logic=daily.fingerprint,
            debts=() if cell == "clean" else (Debt(input=ORDERS, since=Position("0"), position=Position(cell)),),
        )
        for number, cell in enumerate(cells)
        if cell is not None
    ]
    before = covering(daily).replace(segments=fuse(tuple(marks)))
    after = on_new_grid(new, before)
    assert covered(after) == covered(before)
    for item in marks:
        (held,) = (part for part in after.segments if part.interval.start <= item.interval.start < part.interval.end)
        assert held.debts == item.debts
    for part in after.segments:
        if part.logic == new.fingerprint:
            bounds = (part.interval.start, part.interval.end)
            assert all(floor_unit(Grid(unit), at) == at for at in bounds)
    assert merge(tuple(part.interval for part in after.segments)) == covered(before)
