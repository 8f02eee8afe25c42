"""Slices that someone asked for, against a model's own time."""

from datetime import UTC, datetime

import pytest
from tests.planner.making import DAILY, days, facts, model, use

from lamina.planner.decide import decide
from lamina.planner.now import Now
from lamina.values.plan import Build, Selection, Skip

ENDED = model("sales.daily", inputs=(use(),), strategy=DAILY, start="2026-04-01", end="2026-04-03")
NOW = datetime(2026, 4, 10, tzinfo=UTC)


@pytest.mark.parametrize(("key", "built"), [("2026-04-03", True), ("2026-04-04", False), ("2026-03-31", False)])
def test_no_slice_outside_the_models_time_is_built(key: str, built: bool) -> None:
    (action,) = decide(ENDED, facts(), Now(NOW, Selection(partition=key), {}, {}))
    assert isinstance(action, Build if built else Skip)
    if isinstance(action, Build):
        assert action.intervals == (days(3),)
