"""A changed unit of an input makes exactly the slices stale that read it: proof, `explain` and planner agree.

Every accepted query is compiled, one unit of each input is changed, and the planner folds it. What must be stale is
counted here, on the clocks of the zone, from the sentence that `explain` says.
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.compiler.touched import changed, compiled, interval_cases, stale_ranges, starts

from lamina.compiler.explanation import explain_incrementality
from lamina.compiler.graph import CompiledModel, InputUse
from lamina.compiler.rules.coarse_read import RULE as COARSE
from lamina.project.strategy import TimeInterval
from lamina.values.interval import Interval, merge

INSTANT = timedelta(microseconds=1)
SPAN = r"(\d+) (day|hour|minute|second)s?"
BEFORE, AFTER = re.compile(rf"from {SPAN} before"), re.compile(rf"up to {SPAN} after the slice")
CHANGED = (date(2026, 1, 31), date(2026, 3, 29), date(2026, 7, 1), date(2026, 10, 25), date(2026, 11, 1))
CASES = [pytest.param(case, id=name) for name, case in interval_cases().items()]


def extent_said(steps: tuple[str, ...], table: str) -> tuple[timedelta, timedelta] | None:
    """Return how far before and after the slice `explain` says a table is read; None: a change touches every slice."""
    step = next(item for item in steps if item.startswith(f"`{table}` is read"))
    if "touches every slice" in step or "read whole" in step or "without a bound in another" in step:
        return None
    if "exactly the range" in step:
        return timedelta(), timedelta()
    found = [pattern.search(step) for pattern in (BEFORE, AFTER)]
    assert any(found), step
    before, after = (timedelta(**{f"{item[2]}s": int(item[1])}) if item else timedelta() for item in found)
    return before, after


def grid_around(reader: CompiledModel, day: date) -> list[Interval]:
    """Return slices from long before a day to long after it."""
    strategy = reader.settings.strategy
    assert isinstance(strategy, TimeInterval)
    unit, zone = strategy.granularity, reader.settings.timezone
    first, count = (day - timedelta(days=2), 4 * 24 * 8) if unit in ("hour", "15 minutes") else (date(2025, 11, 1), 500)
    if unit in ("week", "month"):
        count = 18
    return [Interval(*pair) for pair in pairwise(starts(unit, zone, first, count))]


def units_of(day: date, zone: str, *, is_dated: bool) -> list[Interval]:
    """Return what may change of a column on a day: the day in the zone, and of instants some shorter units of it."""
    start, end = (datetime.combine(day + timedelta(days=n), time(), ZoneInfo(zone)).timestamp() for n in (0, 1))
    begin, over = (datetime.fromtimestamp(at, UTC) for at in (start, end))
    if is_dated:
        return [Interval(begin, over)]
    hour = timedelta(hours=1)
    edges = [Interval(begin, begin + INSTANT), Interval(over - INSTANT, over), Interval(begin - INSTANT, begin)]
    return [Interval(begin, over), *edges, Interval(begin + 2 * hour, begin + 3 * hour)]


def reads(
    slice_: Interval, touched: Interval, use: InputUse, *, before: timedelta, after: timedelta, zone: str
) -> bool:
    """Return whether rows of a touched unit are among those that a slice reads."""
    if use.filters_dates or (use.counts_days and (before or after)):  # by dates on the clocks of the zone
        first, last = (at.astimezone(ZoneInfo(zone)).date() for at in (touched.start, touched.end - INSTANT))
        dates = [first + timedelta(days=number) for number in range((last - first).days + 1)]
        midnights = [datetime.combine(day, time(), ZoneInfo(zone)) for day in dates]
        # In a zone, Python counts by the clock: six days after a midnight is the midnight six dates later.
        return any(
            (at + before).astimezone(UTC) >= slice_.start and (at - after).astimezone(UTC) < slice_.end
            for at in midnights
        )
    return slice_.start - before < touched.end and touched.start < slice_.end + after


@pytest.mark.parametrize("case", CASES)
def test_a_changed_unit_makes_exactly_the_slices_stale_that_read_it(case: dict[str, Any]) -> None:
    graph, reader = compiled(case)
    steps, zone = explain_incrementality(graph, reader), reader.settings.timezone
    assert [item for item in graph.diagnostics if item.severity == "error"] == []
    for use in (item for item in reader.inputs if not reader.is_own(item)):
        extent = extent_said(steps, use.name)
        assert (extent is None) == (use.filter_column is None), (steps, use)
        for day in CHANGED:
            slices = grid_around(reader, day)
            built = Interval(slices[0].start, slices[-1].end)
            for touched in units_of(day, zone, is_dated=use.filters_dates):
                stale = stale_ranges(reader, changed(reader, use, touched), built=built)
                if extent is None:
                    assert stale == (() if use.on_touch == "keep" else (built,))
                    continue
                before, after = extent
                expected = tuple(
                    item for item in slices if reads(item, touched, use, before=before, after=after, zone=zone)
                )
                assert stale == merge(expected), (use, touched)


@pytest.mark.parametrize("case", CASES)
def test_a_part_that_the_planner_cannot_see_is_reported_with_what_to_write(case: dict[str, Any]) -> None:
    graph, reader = compiled(case)
    steps = explain_incrementality(graph, reader)
    found = {item.message.split("`")[1]: item for item in graph.diagnostics if item.code == COARSE.code}
    for use in (item for item in reader.inputs if not reader.is_own(item)):
        sentences = [item for item in steps if item.startswith(f"`{use.name}` is read")]
        is_hidden = any("so a change in it touches every slice" in item for item in sentences)
        assert is_hidden == (use.name in found), sentences
        if is_hidden:
            assert found[use.name].place is not None
            assert any(item.endswith(str(found[use.name].hint)) for item in sentences)


def test_both_kinds_of_reads_are_among_the_cases() -> None:
    uses = [use for case in interval_cases().values() for use in compiled(case)[1].inputs]
    assert sum(use.filter_column is not None for use in uses) > 100
    assert sum(use.filter_column is None for use in uses) > 5


def own_past(name: str) -> tuple[CompiledModel, InputUse]:
    """Return a model that reads its own past, and how it does."""
    _, reader = compiled(interval_cases()[name])
    return reader, next(item for item in reader.inputs if reader.is_own(item))


@pytest.mark.parametrize(
    ("name", "days"),
    [("own_past_day_before", 1), ("own_past_day_before_without_window", 1), ("own_past_up_to_day_before", None)],
)
def test_a_slice_makes_those_after_it_stale_that_read_it(name: str, days: int | None) -> None:
    reader, use = own_past(name)
    built = Interval(*(datetime(2026, 3, number, tzinfo=UTC) for number in (1, 31)))
    touched = Interval(*(datetime(2026, 3, number, tzinfo=UTC) for number in (10, 11)))
    end = built.end if days is None else touched.end + timedelta(days=days)
    assert stale_ranges(reader, changed(reader, use, touched), built=built) == (Interval(touched.end, end),)
