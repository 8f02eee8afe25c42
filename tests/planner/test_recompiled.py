"""Ranges that a promoted text built are known by what the compiler of now calls that text."""

from tests.planner.making import DAILY, built, days, model

from lamina.planner.recompiled import as_called_now
from lamina.state.port import PromotedModel
from lamina.values.names import Fingerprint

OLD, NEW = (model("sales.daily", fingerprint=name) for name in ("v1", "v2"))
BUILT = built(OLD, days(1, 3))


def promoted(fingerprint: str, *former: str) -> PromotedModel:
    return PromotedModel(
        Fingerprint(fingerprint), compiler="c", hash="", text="", former=tuple(Fingerprint(item) for item in former)
    )


def test_a_record_from_before_an_upgrade_takes_the_new_fingerprint() -> None:
    coverage = as_called_now(BUILT, NEW, promoted("v1"), recompiled=NEW)
    assert [segment.logic for segment in coverage.segments] == ["v2"]
    assert [logic.fingerprint for logic in coverage.logics] == ["v2"]


def test_what_a_new_compiler_calls_it_without_its_grid_is_known_where_time_is_cut_freely() -> None:
    sliced = model("sales.daily", strategy=DAILY, fingerprint="v2").replace(gridless_fingerprint=Fingerprint("g2"))
    assert as_called_now(BUILT, sliced, promoted("v1"), recompiled=sliced).logics[0].gridless == "g2"
    single = sliced.replace(settings=sliced.settings.replace(strategy=DAILY.replace(batch_size=1)))
    assert as_called_now(BUILT, single, promoted("v1"), recompiled=single).logics[0].gridless is None


def test_i3_a_mark_from_before_an_upgrade_is_known_after_it() -> None:
    coverage = as_called_now(BUILT, NEW, promoted("v2", "v1"), recompiled=None)
    assert [segment.logic for segment in coverage.segments] == ["v2"]


def test_other_code_stays_other_code() -> None:
    assert as_called_now(BUILT, NEW, promoted("v2", "v0"), recompiled=None) == BUILT
    assert as_called_now(BUILT, NEW, None, recompiled=None) == BUILT
