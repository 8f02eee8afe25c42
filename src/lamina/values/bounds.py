"""The bounds of a range as a time column holds them: local dates, or instants with or without a zone."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from lamina.values.interval import Interval

Bound = datetime | date


def typed_bounds(span: Interval, kind: str, *, zone: str) -> tuple[Bound, Bound]:
    """Return the bounds of a range for a column of some type; dates are those of the zone's own days.

    >>> typed_bounds(Interval(datetime(2026, 4, 6, 22, tzinfo=UTC), datetime(2026, 4, 7, 22, tzinfo=UTC)), "date",
    ...              zone="Europe/Stockholm")
    (datetime.date(2026, 4, 7), datetime.date(2026, 4, 8))
    """
    if kind == "timestamp_ntz":
        return without_zone(span.start), without_zone(span.end)
    if kind != "date":
        return span.start, span.end
    local = ZoneInfo(zone)
    return span.start.astimezone(local).date(), _date_up(span.end.astimezone(local))


def bound_text(bound: Bound) -> str:
    """Return a bound as text, instants in UTC."""
    return without_zone(bound).isoformat(sep=" ") if isinstance(bound, datetime) else bound.isoformat()


def without_zone(at: datetime) -> datetime:
    """Return an instant as the clock of UTC shows it."""
    return at if at.tzinfo is None else at.astimezone(UTC).replace(tzinfo=None)


def _date_up(at: datetime) -> date:
    is_midnight = (at.hour, at.minute, at.second, at.microsecond) == (0, 0, 0, 0)
    return at.date() if is_midnight else at.date() + timedelta(days=1)
