"""Texts that are values of Spark's types, and texts that are not."""

import pytest

from lamina.project.typed_text import is_value
from lamina.values.schema import DataType

VALUES = {
    "string": ("", "anything"),
    "tinyint": ("-128", "127", "+5"),
    "bigint": ("9223372036854775807", "-9223372036854775808"),
    "decimal(3,1)": ("99.9", "-0.5", "99.94", ".5", "1e1"),
    "double": ("1", "1.5e-3", "-.25"),
    "boolean": ("true", "False"),
    "date": ("2024-02-29",),
    "timestamp": ("2026-01-31 06:00:00", "2026-01-31T06:00:00.123456", "2026-01-31", "2026-01-31 06:00:00+02:00"),
}
NO_VALUES = {
    "tinyint": ("128", "x", "", "1.0", "\u0663", "9" * 5_000),
    "bigint": ("9223372036854775808",),
    "decimal(3,1)": ("100.55", "99.96", "1e5", "NaN", "1_0", "9" * 5_000),
    "double": ("x", "", "1_000", "1e"),
    "boolean": ("yes", "1", "TRUE "),
    "date": ("2020-02-30", "today", "20260131", "2026-1-1", "2026-01-31 06:00:00"),
    "timestamp": ("now", "2026-13-01 00:00:00", "06:00:00"),
}


@pytest.mark.parametrize(("kind", "texts"), VALUES.items())
def test_a_value_is_taken(kind: str, texts: tuple[str, ...]) -> None:
    assert [text for text in texts if not is_value(text, DataType(kind))] == []


@pytest.mark.parametrize(("kind", "texts"), NO_VALUES.items())
def test_what_is_no_value_is_not_taken(kind: str, texts: tuple[str, ...]) -> None:
    assert [text for text in texts if is_value(text, DataType(kind))] == []
