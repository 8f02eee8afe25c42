"""Which built ranges are outside a model's time."""

import pytest
from tests.planner.making import DAILY, built, days, model

from lamina.planner.surplus import surplus_ranges
from lamina.values.interval import Interval


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2026-04-01", None, ()),
        ("2026-04-03", None, (days(1, 2),)),
        ("2026-04-01", "2026-04-04", (days(5, 7),)),
        ("2026-04-03", "2026-04-04", (days(1, 2), days(5, 7))),
        ("2026-05-01", None, (days(1, 7),)),
    ],
)
def test_what_was_built_outside_start_and_end(start: str, end: str | None, expected: tuple[Interval, ...]) -> None:
    subject = model(strategy=DAILY, start=start, end=end)
    assert surplus_ranges(subject, built(subject, days(1, 7))) == expected


def test_a_start_that_is_not_declared_is_the_resolved_one() -> None:
    subject = model(strategy=DAILY, start=None)
    coverage = built(subject, days(1, 7)).replace(start="2026-04-03T00:00:00+00:00")
    assert surplus_ranges(subject, coverage) == (days(1, 2),)


def test_a_table_without_slices_has_no_surplus() -> None:
    subject = model()
    assert surplus_ranges(subject, built(subject, days(1, 7))) == ()
