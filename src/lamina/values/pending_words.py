"""What is pending in the words a person reads: a line for each range, and a last sentence."""

from collections import Counter
from itertools import groupby
from typing import NamedTuple

from lamina.values.interval import between
from lamina.values.pending import OwedRows, Pending, PendingResult
from lamina.values.time_words import span_words
from lamina.values.words import counted

_SHOWN = 5  # ranges of one model that are pending for one reason
_ORDER = ("failed", "blocked", "not_built", "stale", "waiting", "held")


class PendingLine(NamedTuple):
    """One range, or the rest of many, of one model."""

    model: str
    status: str
    slices: str
    rows: str
    why: str  # said once for the ranges that it is the same of


def pending_lines(pending: tuple[Pending, ...]) -> tuple[PendingLine, ...]:
    """Return a line for each range; the reason is said in the first of the ranges that share it."""
    lines: list[PendingLine] = []
    for (model, status, why), found in groupby(pending, key=lambda item: (item.model, item.status, _why(item))):
        ranges = tuple(found)
        for place, item in enumerate(ranges[:_SHOWN]):
            rows = "; ".join(_rows_words(owed, is_only=len(item.inputs) == 1) for owed in item.inputs if _has(owed))
            lines.append(PendingLine(model, status, _slices(item), rows, "" if place else why))
        if (left := len(ranges) - _SHOWN) > 0:
            lines.append(PendingLine(model, status, f"and {counted(left, 'more range')}", "", ""))
    return tuple(lines)


def pending_closing(result: PendingResult) -> str:
    """Say how much is pending of how many models, and when something becomes due."""
    if not result.models:
        return "none of the selected models has a table"
    due = f"; next due {result.next_due[0].at}" if result.next_due else ""
    if not result.pending:
        return f"nothing is pending{due}"
    models = len({item.model for item in result.pending})
    found: Counter[str] = Counter(item.status for item in result.pending)
    counts = ", ".join(f"{found[word]} {word.replace('_', ' ')}" for word in _ORDER if found[word])
    return f"{counted(len(result.pending), 'range')} of {counted(models, 'model')} pending: {counts}{due}"


def _has(owed: OwedRows) -> bool:
    return owed.rows_on_time is not None


def _rows_words(owed: OwedRows, *, is_only: bool) -> str:
    """Say how many rows an input brought, with its name where there are several."""
    late = f"{owed.rows_late:,} late" if owed.rows_late else ""
    on_time = f"{owed.rows_on_time:,} on time" if owed.rows_on_time or not late else ""
    oldest = f"oldest loaded {owed.oldest_load}" if owed.oldest_load is not None else ""
    return f"{'' if is_only else f'{owed.input}: '}{', '.join(filter(None, (on_time, late, oldest)))}"


def _slices(item: Pending) -> str:
    return span_words(between(item.start, item.end), item.timezone)


def _why(item: Pending) -> str:
    is_said = not item.is_requested or "requested" in item.reason
    return item.reason if is_said else f"{item.reason} (requested)"
