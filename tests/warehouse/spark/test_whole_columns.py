"""Whose columns drifted: those of an input under unchanged code, or those that new code asks for."""

import pytest
from tests.planner.making import DAILY, built, days, model

from lamina.planner.logic import logic_of
from lamina.values.coverage import Mark
from lamina.values.names import Fingerprint
from lamina.warehouse.spark.whole_columns import is_same_code

SUBJECT = model(strategy=DAILY).replace(
    rows_fingerprint=Fingerprint("rows"), gridless_fingerprint=Fingerprint("gridless")
)
MARK = Mark(
    commit="c1",
    run_id="r",
    token=1,
    project="p",
    environment="prod",
    store="s",
    model=SUBJECT.name,
    fingerprint=SUBJECT.fingerprint,
    slices=(days(1),),
    pins={},
    coverage=built(SUBJECT, days(1)).replace(logics=(logic_of(SUBJECT),)),
)


@pytest.mark.parametrize(
    ("changes", "is_same"),
    [
        ({}, True),
        ({"fingerprint": "v2"}, True),  # another layout
        ({"fingerprint": "v2", "rows_fingerprint": "other"}, True),  # another grid
        ({"fingerprint": "v2", "rows_fingerprint": "other", "gridless_fingerprint": "other"}, False),
        ({"fingerprint": "v2", "rows_fingerprint": None, "gridless_fingerprint": None}, False),
    ],
)
def test_code_is_the_same_in_another_layout_or_grid(changes: dict[str, str | None], is_same: bool) -> None:
    assert is_same_code(MARK, SUBJECT.replace(**changes)) is is_same
