"""Whether a table is fresh: the age of its newest row beside what its settings allow."""

from datetime import UTC, datetime

from lamina.project.limits import FreshnessSettings
from lamina.values.freshness import Freshness, TableFreshness

NO_ROWS = "no row has a time"


def judged(name: str, settings: FreshnessSettings, newest: datetime | None, *, now: datetime) -> TableFreshness:
    """Return how fresh a table is at a time; exactly as old as allowed is fresh."""
    if newest is None:
        return unknown(name, settings, NO_ROWS)
    age = (now - newest).total_seconds()
    return unknown(name, settings, "").replace(
        status=_status(settings, age),
        newest=newest.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        age_seconds=int(age),
    )


def unknown(name: str, settings: FreshnessSettings, reason: str, *, is_fault: bool = False) -> TableFreshness:
    """Return that nothing is known of a table's age."""
    return TableFreshness(
        name=name,
        status="unknown",
        column=settings.column,
        warn_after=settings.warn_after,
        error_after=settings.error_after,
        reason=reason,
        is_fault=is_fault,
    )


def _status(settings: FreshnessSettings, age: float) -> Freshness:
    if settings.error_seconds is not None and age > settings.error_seconds:
        return "error"
    if settings.warn_seconds is not None and age > settings.warn_seconds:
        return "warn"
    return "fresh"
