"""Why a model is stale as a whole."""

import pytest
from tests.planner.making import DAILY, built, days, facts, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.staleness import clean_ranges, rebuild_reason
from lamina.values.coverage import Coverage, Debt, Segment
from lamina.values.interval import WHOLE
from lamina.values.names import Position, TableName
from lamina.values.plan import Selection

SOURCE = use("raw.orders")
INLINED = TableName("sales.completed")


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (model(inputs=(SOURCE,), fingerprint="v2"), "the query changed"),
        (model(kind="python", fingerprint="v2"), "the code changed"),
        (model(kind="seed", fingerprint="v2"), "the file changed"),
        (
            model(inputs=(SOURCE,), fingerprint="v2").replace(depends_on=(INLINED,)),
            "the query, or ephemeral `sales.completed` in it, changed",
        ),
    ],
)
def test_changed_code_is_named(now: CompiledModel, words: str) -> None:
    before = now.replace(fingerprint="v1")
    assert rebuild_reason(now, facts(built(before, WHOLE)), Selection()) == words
    assert rebuild_reason(before, facts(built(before, WHOLE)), Selection()) is None


def test_only_what_current_code_built_and_owes_nothing_is_clean() -> None:
    subject = model(strategy=DAILY)
    debt = Debt(input=TableName("raw.orders"), position=Position("2"), since=Position("1"))
    coverage = Coverage(
        segments=(
            Segment(interval=days(1), logic=subject.fingerprint),
            Segment(interval=days(2), logic=subject.fingerprint, debts=(debt,)),
            Segment(interval=days(3), logic=model(fingerprint="v0").fingerprint),
            Segment(interval=days(4), logic=subject.fingerprint),
        )
    )
    assert clean_ranges(subject, coverage) == (days(1), days(4))
