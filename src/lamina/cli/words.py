"""Times and ranges in the words a person reads."""

from datetime import timedelta

from lamina.values.interval import WHOLE, Interval


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


def gist_words(message: str, *, longest: int = 100) -> str:
    """Return the first sentence of a message, cut where it is long.

    >>> gist_words("[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate it.")
    '[DIVIDE_BY_ZERO] Division by zero'
    """
    first = message.partition(". ")[0].rstrip(".")
    return first if len(first) <= longest else f"{first[: longest - 1]}…"


def span_words(span: Interval) -> str:
    """Write a range: a day as its date, days as first to last, anything finer with its times."""
    if span == WHOLE:
        return "whole table"
    if span.start.time() != span.end.time() or span.start.hour or span.start.minute:
        return f"{span.start:%Y-%m-%dT%H:%M} to {span.end:%Y-%m-%dT%H:%M}"
    last = span.end - timedelta(days=1)
    return f"{span.start:%Y-%m-%d}" if last == span.start else f"{span.start:%Y-%m-%d} to {last:%Y-%m-%d}"


def spans_words(spans: tuple[Interval, ...], *, limit: int = 3) -> str:
    """Write several ranges, the first few in full; nothing for a whole table."""
    if not spans or spans == (WHOLE,):
        return ""
    shown = ", ".join(span_words(span) for span in spans[:limit])
    return shown if len(spans) <= limit else f"{shown} and {len(spans) - limit} more"
