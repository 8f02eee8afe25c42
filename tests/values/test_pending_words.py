"""What is pending, as people read it."""

import pytest

from lamina.values.diagnostic import Diagnostic
from lamina.values.pending import NextDue, OwedRows, Pending, PendingResult, PendingStatus
from lamina.values.pending_words import pending_closing, pending_lines

ERROR = Diagnostic(code="L201", name="N", severity="error", message="no `b`")


def pending(number: int, status: PendingStatus = "stale", *, reason: str = "late", model: str = "a.b") -> Pending:
    start, end = f"2026-04-{number:02}T00:00:00Z", f"2026-04-{number + 1:02}T00:00:00Z"
    return Pending(model=model, start=start, end=end, reason=reason, status=status)


def result(*found: Pending, models: int = 2) -> PendingResult:
    return PendingResult(environment="prod", execution_time="2026-04-10T00:00:00Z", pending=found, models=models)


def test_a_reason_is_said_once_for_the_ranges_that_share_it() -> None:
    lines = pending_lines((pending(1), pending(3), pending(5, reason="other"), pending(7, "waiting", reason="other")))
    assert [(line.slices, line.status, line.why) for line in lines] == [
        ("2026-04-01", "stale", "late"),
        ("2026-04-03", "stale", ""),
        ("2026-04-05", "stale", "other"),
        ("2026-04-07", "waiting", "other"),
    ]


def test_of_many_ranges_the_first_are_named_and_the_rest_counted() -> None:
    lines = pending_lines(tuple(pending(number) for number in range(1, 29, 2)))
    assert [line.slices for line in lines][4:] == ["2026-04-09", "and 9 more ranges"]


def test_rows_name_their_input_where_there_are_several() -> None:
    orders = OwedRows(input="raw.orders", rows_on_time=1200, rows_late=3, oldest_load="2026-04-07T04:00:00Z")
    late, files = OwedRows(input="raw.a", rows_on_time=0, rows_late=2), OwedRows(input="raw.files")
    one = pending(1).replace(inputs=(orders,))
    assert pending_lines((one,))[0].rows == "1,200 on time, 3 late, oldest loaded 2026-04-07T04:00:00Z"
    two = pending(1).replace(inputs=(late, files))
    assert pending_lines((two,))[0].rows == "raw.a: 2 late"
    none = pending(1).replace(inputs=(late.replace(rows_late=0),))
    assert pending_lines((none,))[0].rows == "0 on time"


def test_a_request_is_named_where_the_reason_does_not() -> None:
    whole = pending(1).replace(start=None, end=None, is_requested=True)
    (line,) = pending_lines((whole,))
    assert line.slices == "whole table"
    assert line.why == "late (requested)"
    assert pending_lines((whole.replace(reason="requested"),))[0].why == "requested"


def test_days_are_those_of_the_model() -> None:
    local = Pending(
        model="a.b", start="2026-04-06T22:00:00Z", end="2026-04-07T22:00:00Z", reason="late", timezone="Europe/Berlin"
    )
    assert pending_lines((local,))[0].slices == "2026-04-07"


def test_the_last_line_counts() -> None:
    found = (pending(1), pending(2, "failed", model="c.d"), pending(3, "not_built"))
    assert pending_closing(result(*found)) == "3 ranges of 2 models pending: 1 failed, 1 not built, 1 stale"
    due = (NextDue(cadence="@daily", at="2026-04-11T00:00:00Z", models=1),)
    assert pending_closing(result().replace(next_due=due)) == "nothing is pending; next due 2026-04-11T00:00:00Z"
    assert pending_closing(result(models=0)) == "none of the selected models has a table"


@pytest.mark.parametrize(
    ("found", "models", "code"),
    [
        ((pending(1, "stale"), pending(2, "waiting"), pending(3, "held")), 1, 0),
        ((pending(1, "failed"), pending(2, "failed")), 2, 2),
        ((pending(1, "failed"), pending(2, "blocked")), 1, 1),
    ],
)
def test_a_failure_is_never_an_exit_with_0(found: tuple[Pending, ...], models: int, code: int) -> None:
    assert result(*found, models=models).exit_code == code


def test_an_error_of_no_model_stops_them_all() -> None:
    assert result().replace(diagnostics=(ERROR,)).exit_code == 1


def test_a_notebook_shows_the_lines() -> None:
    html = result(pending(1, reason="a < b"))._repr_html_()
    assert "<td" in html
    assert "a &lt; b" in html
    assert "1 range of 1 model pending: 1 stale" in html
