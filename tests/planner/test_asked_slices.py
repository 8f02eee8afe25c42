"""Slices that someone asked for, against a model's own time."""

from datetime import UTC, datetime

import pytest
from tests.planner.making import DAILY, built, day, days, facts, model, use

from lamina.planner.decide import decide
from lamina.planner.now import Now
from lamina.planner.segments import owe
from lamina.values.coverage import Debt
from lamina.values.names import Position, TableName
from lamina.values.plan import Build, Selection, Skip

ENDED = model("sales.daily", inputs=(use(),), strategy=DAILY, start="2026-04-01", end="2026-04-03")
NOW = datetime(2026, 4, 10, tzinfo=UTC)


@pytest.mark.parametrize(("key", "built"), [("2026-04-03", True), ("2026-04-04", False), ("2026-03-31", False)])
def test_no_slice_outside_the_models_time_is_built(key: str, built: bool) -> None:
    (action,) = decide(ENDED, facts(), Now(NOW, Selection(partition=key), {}, {}))
    assert isinstance(action, Build if built else Skip)
    if isinstance(action, Build):
        assert action.intervals == (days(3),)


def test_a_slice_that_changed_before_it_is_due_is_named() -> None:
    daily = model("sales.daily", inputs=(use(),), strategy=DAILY, start="2026-04-01")
    coverage = built(daily, days(1, 10))
    debt = Debt(input=TableName("raw.orders"), since=None, position=Position("9"))
    before, last = coverage.replace(segments=()), coverage.segments[0]
    segments = (last.replace(interval=days(1, 9)), owe(last.replace(interval=days(10)), debt))
    (action,) = decide(daily, facts(before.replace(segments=segments)), Now(day(10, hour=6), Selection(), {}, {}))
    assert isinstance(action, Skip)
    assert action.reason == "2026-04-10 changed after it was built, and is built again when it is due"
