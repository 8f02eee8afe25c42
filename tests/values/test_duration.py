"""Durations: a number and a unit, long or short."""

import pytest

from lamina.values.duration import parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6 days", 518_400),
        ("1 day", 86_400),
        ("36h", 129_600),
        ("30s", 30),
        ("5m", 300),
        (" 2 weeks ", 1_209_600),
        ("0s", 0),
        ("soon", None),
        ("6", None),
        ("-1 day", None),
        ("1.5 h", None),
        ("1 month", None),
        ("9999999999 days", None),
        ("٣ days", None),
    ],
)
def test_a_duration_is_read_or_refused(text: str, seconds: int | None) -> None:
    assert parse_duration(text) == seconds
