"""L257: a model is released more often than its slices end.

Why: a slice would be released before its time is over.
Fix: use a finer `granularity`, a coarser `cron`, or `allow_partials = true`.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L257", name="CoarseUnit")

LONGEST = {"week": 7 * 86_400, "month": 28 * 86_400, "year": 365 * 86_400}
SHORTEST = {"minute": 60, "5 minutes": 300, "15 minutes": 900, "30 minutes": 1800, "hour": 3600, "day": 82_800}
REFERENCE = datetime(2027, 1, 1, tzinfo=UTC)
TICKS = 40


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a cron that ticks within a slice."""
    settings = subject.model.settings
    slices = subject.model.traits.slices
    if slices is None or settings.cron is None or settings.allow_partials:
        return
    period = _period(settings.cron)
    length = SHORTEST.get(slices.unit) or LONGEST[slices.unit]
    if period is None or period >= length:
        return
    yield RULE.finding(
        f"cron `{settings.cron}` ticks within a slice of one `{slices.unit}`",
        place=subject.place_of("cron"),
        model=subject.model.name,
        hint="use a finer `granularity`, a coarser `cron`, or `allow_partials = true`",
    )


def _period(cron: str) -> float | None:
    """Return the shortest time between two of the next ticks, in seconds; zones shift all of them alike."""
    from lamina.values.cron import next_tick

    ticks: list[datetime] = []
    tick = next_tick(cron, "UTC", REFERENCE)
    while tick is not None and len(ticks) < TICKS:
        ticks.append(tick)
        tick = next_tick(cron, "UTC", tick)
    return min(((after - before).total_seconds() for before, after in pairwise(ticks)), default=None)
