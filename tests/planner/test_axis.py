"""What a batch can see of an input: no row outside of its reach is read by any of its slices."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lamina.planner.axis import inverse_image, reach_of
from lamina.values.coverage import InputRange
from lamina.values.grid import Grid, Unit, floor_unit, next_unit
from lamina.values.interval import MAX, MIN, WHOLE, Interval
from lamina.values.names import ColumnName

UNITS: tuple[Unit, ...] = ("15 minutes", "hour", "day", "week", "month")
ZONES = ("UTC", "Europe/Stockholm", "America/New_York", "Pacific/Kiritimati")
FIRST = datetime(2026, 3, 20, tzinfo=UTC)
TIMES = st.integers(0, 40 * 96).map(lambda quarters: FIRST + timedelta(minutes=15 * quarters))
AT = ColumnName("at")
DAY = 86_400


@given(
    unit=st.sampled_from(UNITS),
    zone=st.sampled_from(ZONES),
    kind=st.sampled_from(["instants", "days of instants", "dates"]),
    before=st.sampled_from([0, 900, DAY, 6 * DAY]),
    after=st.sampled_from([0, 900, DAY]),
    starts=TIMES,
    at=TIMES,
)
def test_row_that_a_slice_reads_is_in_reach(
    unit: Unit, zone: str, kind: str, before: int, after: int, starts: datetime, at: datetime
) -> None:
    read = InputRange(
        column=AT,
        is_date=kind == "dates",
        counts_days=kind == "days of instants",
        before_seconds=before,
        after_seconds=after,
    )
    grid = Grid(unit, zone)
    start = floor_unit(grid, starts)
    batch = Interval(start, next_unit(grid, start))
    value = datetime(at.year, at.month, at.day, tzinfo=UTC) if read.is_date else at
    readers = inverse_image(grid, read, (Interval(value, value + timedelta(microseconds=1)),), is_own=False)

    assume(any(reader.start < batch.end and reader.end > batch.start for reader in readers))

    reach = reach_of(grid, read, batch)
    assert reach.start <= value < reach.end


@pytest.mark.parametrize(
    ("read", "reach"),
    [
        (InputRange(column=AT), ("2026-04-07", "2026-04-08")),
        (InputRange(column=AT, before_seconds=6 * DAY), ("2026-04-01", "2026-04-08")),
        (InputRange(column=AT, after_seconds=DAY, is_date=True), ("2026-04-07", "2026-04-09")),
    ],
)
def test_reach_of_a_day_is_no_longer_than_it_must_be(read: InputRange, reach: tuple[str, str]) -> None:
    day = Interval(datetime(2026, 4, 7, tzinfo=UTC), datetime(2026, 4, 8, tzinfo=UTC))

    found = reach_of(Grid("day"), read, day)

    assert (f"{found.start:%Y-%m-%d}", f"{found.end:%Y-%m-%d}") == reach


def test_reach_ends_where_time_does() -> None:
    found = reach_of(Grid("day"), InputRange(column=AT, before_seconds=DAY, after_seconds=DAY), WHOLE)

    assert (found.start, found.end) == (MIN, MAX)
