"""Rows with reasons, on wide and narrow screens."""

import pytest
from rich.text import Text
from tests.cli.drawn import drawn

from lamina.cli.ledger import Ledger


@pytest.fixture
def ledger() -> Ledger:
    ledger = Ledger("model", "rows", "status", "why", right=("rows",))
    ledger.add("sales.a_rather_long_name", "1,200", Text("completed", style="green"), "`raw.orders`: 2 files added")
    ledger.add("sales.short", "", "waiting", "")
    return ledger


def test_a_wide_screen_shows_a_table(ledger: Ledger) -> None:
    assert drawn(ledger, width=90) == [
        "model                      rows  status     why",
        "sales.a_rather_long_name  1,200  completed  `raw.orders`: 2 files added",
        "sales.short                      waiting",
    ]


def test_a_long_reason_breaks_inside_its_column(ledger: Ledger) -> None:
    ledger.add("m", "", "failed", "one two three four five six seven eight nine ten")
    first, second = drawn(ledger, width=80)[-2:]
    assert first.endswith("five six seven")
    assert second == " " * first.index("one") + "eight nine ten"


def test_a_narrow_screen_shows_the_reason_below_and_cuts_no_name(ledger: Ledger) -> None:
    assert drawn(ledger, width=40) == [
        "sales.a_rather_long_name  1,200 rows",
        "completed",
        "    `raw.orders`: 2 files added",
        "sales.short  waiting",
    ]


def test_rows_without_reasons_are_a_table_where_they_fit() -> None:
    ledger = Ledger("model", "verdict", "why")
    ledger.add("sales.orders", "equal", "")
    assert drawn(ledger, width=24) == ["model         verdict", "sales.orders  equal"]


def test_a_cell_that_needs_its_header_takes_it_along() -> None:
    ledger = Ledger("model", "built", "why", labelled=("built",))
    ledger.add("sales.orders", "2026-04-01", "one two three four five six seven")
    assert drawn(ledger, width=40)[0] == "sales.orders  built 2026-04-01"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_nothing_is_lost_at_any_width(ledger: Ledger, width: int) -> None:
    reported = "".join("".join(drawn(ledger, width=width)).split())
    assert "sales.a_rather_long_name" in reported
    assert "`raw.orders`:2filesadded" in reported
    assert all(len(line) <= width for line in drawn(ledger, width=width))
