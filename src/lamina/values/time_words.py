"""Times and ranges in the words a person reads."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from lamina.values.interval import MAX, MIN, WHOLE, Interval


def duration_words(seconds: float) -> str:
    """Write a duration briefly: `0.4 s`, `12 s`, `3 min 05 s`, `2 h 10 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def span_words(span: Interval, zone: str = "UTC") -> str:
    """Write a range in a zone: a day as its date, days as first to last, anything finer with its times."""
    if span == WHOLE:
        return "whole table"
    if span.start <= MIN:
        return f"before {time_words(span.end, zone)}"
    if span.end >= MAX:
        return f"from {time_words(span.start, zone)} on"
    start, end = (bound.astimezone(ZoneInfo(zone)) for bound in (span.start, span.end))
    if any(bound.hour or bound.minute or bound.second for bound in (start, end)):
        return f"{start:%Y-%m-%dT%H:%M} to {time_words(span.end, zone)}"
    last = end.date() - timedelta(days=1)
    return f"{last}" if last == start.date() else f"{start:%Y-%m-%d} to {last}"


def time_words(instant: datetime, zone: str) -> str:
    """Write an instant in a zone: a midnight as its date, else with the zone where it is not UTC."""
    local = instant.astimezone(ZoneInfo(zone))
    if not (local.hour or local.minute or local.second):
        return f"{local:%Y-%m-%d}"
    return f"{local:%Y-%m-%dT%H:%M}" + ("" if zone == "UTC" else f" {zone}")


def spans_words(spans: tuple[Interval, ...], zone: str = "UTC", *, limit: int = 3) -> str:
    """Write several ranges in a zone, the first few in full; nothing for a whole table."""
    if not spans or spans == (WHOLE,):
        return ""
    shown = ", ".join(span_words(span, zone) for span in spans[:limit])
    return shown if len(spans) <= limit else f"{shown} and {len(spans) - limit} more"
