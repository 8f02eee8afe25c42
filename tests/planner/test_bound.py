"""I9: what is decided again may be less than the plan lists, never more."""

from datetime import UTC, datetime, timedelta

from lamina.planner.bound import within_plan
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ModelName
from lamina.values.plan import Build, Hold, Rebuild, Skip

NAME = ModelName("a.b")
START = datetime(2026, 1, 1, tzinfo=UTC)


def _days(first: int, last: int) -> Interval:
    return Interval(START + timedelta(days=first), START + timedelta(days=last))


def _build(*spans: Interval, mode: str = "replace_slices") -> Build:
    return Build(model=NAME, intervals=spans, reason="late rows", mode=mode)  # type: ignore[arg-type]  # a mode by name


def test_i9_planned_slices_are_built_and_others_held() -> None:
    kept, held = within_plan((_build(_days(0, 4)),), (_build(_days(1, 3)),))
    assert isinstance(kept, Build)
    assert isinstance(held, Hold)
    assert kept.intervals == (_days(1, 3),)
    assert held.intervals == (_days(0, 1), _days(3, 4))
    assert "not in the plan" in held.reason


def test_i9_less_than_planned_is_done_as_it_is() -> None:
    decided = (_build(_days(1, 2)),)
    assert within_plan(decided, (_build(_days(0, 9)),)) == decided


def test_i9_a_rebuild_that_was_not_planned_is_held() -> None:
    rebuild = Rebuild(model=NAME, intervals=(WHOLE,), reason="rows went")
    (held,) = within_plan((rebuild,), (_build(WHOLE, mode="append"),))
    assert isinstance(held, Hold)


def test_i9_an_append_is_within_a_planned_rebuild() -> None:
    append = _build(WHOLE, mode="append")
    assert within_plan((append,), (Rebuild(model=NAME, intervals=(WHOLE,), reason="rows went"),)) == (append,)


def test_what_is_no_work_is_not_bounded() -> None:
    skip = Skip(model=NAME, reason="unchanged")
    assert within_plan((skip,), ()) == (skip,)
