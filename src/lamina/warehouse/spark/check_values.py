"""What a check computed against what it demands."""

from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import Any, NamedTuple

from lamina.project.model import CheckSettings
from lamina.values.batch import CANNOT_RUN
from lamina.warehouse.failure import WarehouseFailure

Number = int | float | str | None  # as a result shows it


class Judged(NamedTuple):
    """The outcome of one check."""

    passed: bool
    observed: Number
    expected: Number
    rows_failed: int | None = None


def judged(check: CheckSettings, value: Any, *, oldest: datetime) -> Judged:
    """Return whether what a check computed is what it demands; `oldest` is what the newest time must have reached."""
    expected = _expected(check, oldest)
    if isinstance(value, WarehouseFailure):
        return Judged(passed=False, observed=f"{CANNOT_RUN}{value.message}", expected=expected)
    match check.type:
        case "row_count":
            return Judged(passed=_is_within(check, value or 0), observed=value or 0, expected=expected)
        case "aggregate":
            return _aggregated(check, value, expected)
        case "freshness":
            newest = None if value is None else datetime.fromisoformat(value).replace(tzinfo=UTC)
            shown = None if newest is None else _shown(newest)
            return Judged(passed=newest is not None and newest >= oldest, observed=shown, expected=expected)
        case _:
            count = value or 0
            return Judged(count <= check.max_failed_rows, observed=count, expected=expected, rows_failed=count)


def _aggregated(check: CheckSettings, value: Any, expected: Number) -> Judged:
    """Compare a number; over no rows there is none, which is no fault: `row_count` asks for rows."""
    if value is None:
        return Judged(passed=True, observed=None, expected=expected)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        observed = f"{CANNOT_RUN}its value `{value}` is not a number"
        return Judged(passed=False, observed=observed, expected=expected)
    if not isfinite(value):
        return Judged(passed=False, observed=str(value), expected=expected)
    shown = value if isinstance(value, int | float) else int(value) if value == int(value) else float(value)
    return Judged(passed=_is_within(check, value), observed=shown, expected=expected)


def _is_within(check: CheckSettings, value: int | float | Decimal) -> bool:
    """Compare as decimals: the limit 0.1 is what was written, not the nearest binary number."""
    exact = Decimal(str(value))
    is_below = check.min is not None and exact < Decimal(str(check.min))
    return not is_below and not (check.max is not None and exact > Decimal(str(check.max)))


def _expected(check: CheckSettings, oldest: datetime) -> Number:
    match check.type:
        case "freshness":
            return f"{_shown(oldest)} or later"
        case "row_count" if check.max is not None:
            return f"{check.min or 0} to {check.max}"
        case "row_count" | "aggregate" if check.max is None:
            return f"{check.min} or more"
        case "aggregate":
            return f"{check.max} or less" if check.min is None else f"{check.min} to {check.max}"
        case _:
            return check.max_failed_rows


def _shown(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
