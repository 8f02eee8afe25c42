"""When a cron expression ticks: instants in UTC, right across changes of the clock."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * MON",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
}

# How far back a tick is searched, step by step, so that a frequent one is found at once.
_REACHES = tuple(timedelta(minutes=10) * 8**power for power in range(8))


@lru_cache(maxsize=4096)
def next_tick(expression: str, zone: str, instant: datetime) -> datetime | None:
    """Return the first tick after an instant, or None if there is none in sight.

    >>> next_tick("30 2 * * *", "Europe/Stockholm", datetime(2026, 3, 29, tzinfo=UTC)).isoformat()
    '2026-03-29T01:00:00+00:00'
    """
    ticks = CronSim(_fields(expression), instant.astimezone(ZoneInfo(zone)))
    while (tick := next(ticks, None)) is not None:
        found = tick.astimezone(UTC)
        # A fixed time in a repeated hour is given by its first pass, which may lie before an instant in the second.
        if found > instant:
            return found
    return None


@lru_cache(maxsize=4096)
def cron_floor(expression: str, zone: str, instant: datetime) -> datetime | None:
    """Return the last tick at or before an instant, or None if there is none in sight."""
    for reach in _REACHES:
        found = None
        tick = next_tick(expression, zone, instant - reach)
        while tick is not None and tick <= instant:
            found, tick = tick, next_tick(expression, zone, tick)
        if found is not None:
            return found
    return None


def _fields(expression: str) -> str:
    fields = ALIASES.get(expression, expression)
    if len(fields.split()) != 5:
        raise CronSimError("Wrong number of fields")
    return fields
