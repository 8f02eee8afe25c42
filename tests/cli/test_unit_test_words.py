"""How a unit test that did not pass is shown."""

from lamina.cli.test_words import difference_lines
from lamina.values.html import unit_test_html
from lamina.values.tested import DifferentRow, UnitTestResult, report_of

COLUMNS = ("day", "orders")


def failed(*rows: DifferentRow, missing: int, extra: int) -> UnitTestResult:
    return UnitTestResult("t", "m", "failed", missing=missing, extra=extra, columns=COLUMNS, examples=rows)


def test_one_changed_row_is_shown_side_by_side() -> None:
    rows = (DifferentRow("missing", ("2026-04-07", 1)), DifferentRow("extra", ("2026-04-07", None)))
    assert difference_lines(failed(*rows, missing=1, extra=1)) == [
        "one row differs in 1 of 2 columns, where day = 2026-04-07",
        "column  expected  given by the model",
        "orders  1         null",
    ]


def test_rows_that_differ_are_aligned_under_their_columns() -> None:
    rows = (DifferentRow("missing", ("2026-04-07", 1)), DifferentRow("extra", ("2026-04-07", 1_000)))
    assert difference_lines(failed(*rows, missing=1, extra=2)) == [
        "1 row is missing, 2 rows are extra",
        "         day         orders",
        "missing  2026-04-07  1",
        "extra    2026-04-07  1000",
        "... and 1 row more",
    ]


def test_a_notebook_shows_the_rows_that_differ() -> None:
    rows = (DifferentRow("extra", ("<b>", 1)),)
    page = unit_test_html(report_of((failed(*rows, missing=0, extra=1),), duration_ms=1))
    assert "&lt;b&gt;" in page
    assert "1 row is extra" in page
