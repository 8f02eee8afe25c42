"""Values of an answer as JSON can hold them: times in UTC with Z, decimals, bytes and what is not a number as text."""

import math
from base64 import b64encode
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from lamina.values.codec import to_document


def scalar_cell(value: Any) -> Any:
    """Return a value without parts; a time without zone is taken to be in UTC.

    >>> scalar_cell(date(2026, 4, 1)), scalar_cell(Decimal("1.50")), scalar_cell(float("nan")), scalar_cell(b"a")
    ('2026-04-01', '1.50', 'NaN', 'YQ==')
    """
    match value:
        case datetime():
            instant = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
            return instant.isoformat().replace("+00:00", "Z")
        case date():
            return value.isoformat()
        case Decimal():
            return str(value)
        case bytes() | bytearray():
            return b64encode(value).decode()
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case _:
            return value


def key_text(cell: Any) -> str:
    """Return the key of a map as JSON can hold it, which takes only text.

    >>> key_text("a"), key_text(1), key_text(True)
    ('a', '1', 'true')
    """
    return cell if isinstance(cell, str) else to_document(cell, indent=0)
