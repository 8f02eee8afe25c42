"""Half-open spans of time `[start, end)` in UTC, and their algebra over sorted, disjoint tuples."""

from datetime import UTC, datetime

from lamina.values.value import Value

MIN = datetime(1, 1, 1, tzinfo=UTC)
MAX = datetime(9999, 12, 31, tzinfo=UTC)


class Interval(Value, frozen=True, order=True):
    """A span `[start, end)` of aware UTC instants, never empty."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.start >= self.end:
            raise ValueError(f"interval starts at {self.start} and ends at {self.end}")


# The one slice of a model without intervals.
WHOLE = Interval(MIN, MAX)


def bound_or_none(bound: datetime) -> str | None:
    """Write a bound of a range for a document; None where the range has none.

    >>> bound_or_none(datetime(2026, 4, 7, tzinfo=UTC)), bound_or_none(MAX)
    ('2026-04-07T00:00:00Z', None)
    """
    return None if bound in (MIN, MAX) else f"{bound:%Y-%m-%dT%H:%M:%SZ}"


def between(start: str | None, end: str | None) -> Interval:
    """Read the bounds of a range in a document; None where it has none.

    >>> between("2026-04-07T00:00:00Z", None).start, between(None, None) == WHOLE
    (datetime.datetime(2026, 4, 7, 0, 0, tzinfo=datetime.timezone.utc), True)
    """
    first = MIN if start is None else datetime.fromisoformat(start)
    return Interval(first, MAX if end is None else datetime.fromisoformat(end))


def merge(spans: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Return the same instants as sorted, disjoint, non-touching intervals."""
    merged: list[Interval] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            if span.end > merged[-1].end:
                merged[-1] = Interval(merged[-1].start, span.end)
        else:
            merged.append(span)
    return tuple(merged)


def intersect(left: tuple[Interval, ...], right: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Return the instants in both."""
    first, second = merge(left), merge(right)
    common: list[Interval] = []
    here, there = 0, 0
    while here < len(first) and there < len(second):
        start = max(first[here].start, second[there].start)
        end = min(first[here].end, second[there].end)
        if start < end:
            common.append(Interval(start, end))
        if first[here].end <= second[there].end:
            here += 1
        else:
            there += 1
    return tuple(common)


def subtract(left: tuple[Interval, ...], right: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Return the instants of `left` that are not in `right`."""
    return intersect(left, _complement(merge(right)))


def _complement(spans: tuple[Interval, ...]) -> tuple[Interval, ...]:
    bounds = [MIN, *(bound for span in spans for bound in (span.start, span.end)), MAX]
    pairs = zip(bounds[::2], bounds[1::2], strict=True)
    return tuple(Interval(start, end) for start, end in pairs if start < end)
