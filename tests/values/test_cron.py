"""Cron ticks are instants, right across clock changes."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.values.cron import cron_floor, next_tick


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "zone", "after", "tick"),
    [
        ("@daily", "UTC", "2026-04-07T00:00", "2026-04-08T00:00"),
        ("@hourly", "UTC", "2026-04-07T00:59", "2026-04-07T01:00"),
        ("@weekly", "UTC", "2026-04-07T00:00", "2026-04-13T00:00"),
        ("@monthly", "Europe/Stockholm", "2026-04-07T00:00", "2026-04-30T22:00"),
        ("@yearly", "UTC", "2026-04-07T00:00", "2027-01-01T00:00"),
        # 02:30 does not exist on 29 March in Stockholm: the first valid instant is 03:00 local.
        ("30 2 * * *", "Europe/Stockholm", "2026-03-29T00:00", "2026-03-29T01:00"),
        ("30 2 * * *", "America/New_York", "2026-03-08T05:00", "2026-03-08T07:00"),
        # The clock of Lord Howe jumps half an hour, from 02:00 to 02:30.
        ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T15:00", "2026-10-03T15:30"),
        # 02:30 comes twice on 25 October in Stockholm: it fires at the first, then the next day.
        ("30 2 * * *", "Europe/Stockholm", "2026-10-25T00:00", "2026-10-25T00:30"),
        ("30 2 * * *", "Europe/Stockholm", "2026-10-25T00:30", "2026-10-26T01:30"),
        ("30 2 * * *", "Europe/Stockholm", "2026-10-25T01:10", "2026-10-26T01:30"),
        # An hourly cron fires every real hour.
        ("0 * * * *", "Europe/Stockholm", "2026-10-25T00:00", "2026-10-25T01:00"),
        ("0 * * * *", "Europe/Stockholm", "2026-10-25T01:00", "2026-10-25T02:00"),
        ("0 * * * *", "Europe/Stockholm", "2026-03-29T00:00", "2026-03-29T01:00"),
    ],
)
def test_next_tick(expression: str, zone: str, after: str, tick: str) -> None:
    assert next_tick(expression, zone, at(after)) == at(tick)


def test_floor_includes_an_exact_tick() -> None:
    assert cron_floor("@daily", "UTC", at("2026-04-07T00:00")) == at("2026-04-07T00:00")
    assert cron_floor("@daily", "UTC", at("2026-04-07T00:00") - timedelta(microseconds=1)) == at("2026-04-06T00:00")
    assert cron_floor("0 0 29 2 *", "UTC", at("2026-04-07T00:00")) == at("2024-02-29T00:00")


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["@hourly", "@daily", "30 2 * * *", "*/20 1-3 * * *", "15 4 * * SUN", "0 3 1 * *"]),
    st.sampled_from(["UTC", "Europe/Stockholm", "America/New_York", "Australia/Lord_Howe"]),
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),
)
def test_floor_and_next_enclose_every_instant(expression: str, zone: str, instant: datetime) -> None:
    floor, after = cron_floor(expression, zone, instant), next_tick(expression, zone, instant)
    assert floor is not None
    assert after is not None
    assert floor <= instant < after
    assert next_tick(expression, zone, floor) == after
