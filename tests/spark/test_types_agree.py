"""Inferred schemas agree with Spark's analyzer, as docs/type-agreement.md says; `make agreement` writes that page."""

from typing import Any

import pytest
from tests.spark.agreement import PAGE, Comparison, compare_all, page, summarise

from lamina.compiler.types.functions.catalogue import FUNCTIONS, HIGHER_ORDER

pytestmark = pytest.mark.spark

Parts = dict[str, list[Comparison]]


@pytest.fixture(scope="module")
def compared(spark: Any) -> tuple[Parts, dict[str, int]]:
    return compare_all(spark)


def _texts(found: list[Comparison], *verdicts: str) -> list[str]:
    return [str(item) for item in found if item.verdict in verdicts]


@pytest.mark.parametrize("part", ["tpch", "constructs", "expressions"])
def test_agreement_has_no_wrong_name_or_type(compared: tuple[Parts, dict[str, int]], part: str) -> None:
    found = compared[0][part]
    print(f"\n{part}: {summarise(found)}")
    assert _texts(found, "wrong") == []


@pytest.mark.parametrize("part", ["tpch", "constructs", "expressions"])
def test_agreement_never_promises_what_spark_does_not(compared: tuple[Parts, dict[str, int]], part: str) -> None:
    assert _texts(compared[0][part], "unsound") == []


def test_agreement_types_all_of_tpch_exactly(compared: tuple[Parts, dict[str, int]]) -> None:
    assert _texts(compared[0]["tpch"], "unknown", "null") == []


@pytest.mark.parametrize("part", ["constructs", "expressions"])
def test_agreement_types_nearly_every_column(compared: tuple[Parts, dict[str, int]], part: str) -> None:
    found = compared[0][part]
    unknown = _texts(found, "unknown")
    assert len(unknown) <= 0.05 * len(found), unknown


def test_agreement_covers_enough_constructs_and_functions(compared: tuple[Parts, dict[str, int]]) -> None:
    counts = compared[1]
    assert counts["tpch"] == 22
    assert counts["constructs"] >= 60
    assert len(FUNCTIONS | HIGHER_ORDER) >= 250


def test_agreement_is_published_as_measured(compared: tuple[Parts, dict[str, int]]) -> None:
    parts, counts = compared
    expected = page(parts, counts=counts, functions=len(FUNCTIONS | HIGHER_ORDER))
    assert PAGE.read_text() == expected, "write the page again: .venv/bin/python -m tests.spark.agreement"
