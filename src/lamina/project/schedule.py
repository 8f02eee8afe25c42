"""Decoders of the settings about time: cron expressions, zones, durations, dates."""

import re
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

from lamina.project.decode import Findings, last
from lamina.project.rules import invalid_cron, invalid_date, invalid_duration, unknown_timezone
from lamina.values.duration import parse_duration
from lamina.values.nearest import nearest

CADENCES = ("@hourly", "@daily", "@weekly", "@monthly", "@yearly")
ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+\-]*(/[A-Za-z0-9_+\-]+){0,2}", re.ASCII)


def cron(value: Any, key: str, findings: Findings) -> Any:
    """Decode a cron expression."""
    if not isinstance(value, str):
        return findings.wrong_type(key, expected="a cron expression", value=value)
    reason = None if value in CADENCES else _cron_problem(value)
    if reason is None:
        return str(value)
    place = findings.places.of(key)
    return findings.add(invalid_cron.finding(last(key), place=place, value=value[:60], reason=reason))


def timezone(value: Any, key: str, findings: Findings) -> Any:
    """Decode the name of a time zone."""
    if not isinstance(value, str):
        return findings.wrong_type(key, expected="a time zone", value=value)
    if value == "UTC" or is_zone(value):
        return str(value)
    from zoneinfo import available_timezones

    near = nearest(value, sorted(available_timezones()))
    return findings.add(
        unknown_timezone.finding(last(key), place=findings.places.of(key), value=value[:60], nearest=near)
    )


def duration(value: Any, key: str, findings: Findings) -> Any:
    """Decode a duration, kept as its text."""
    if not isinstance(value, str):
        return findings.wrong_type(key, expected="a duration", value=value)
    if parse_duration(value) is not None:
        return str(value)
    return findings.add(invalid_duration.finding(last(key), place=findings.places.of(key), value=value[:60]))


def instant(value: Any, key: str, findings: Findings) -> Any:
    """Decode a date or time, as text or as TOML's own, into ISO text."""
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        return findings.wrong_type(key, expected="a date", value=value)
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return findings.add(invalid_date.finding(last(key), place=findings.places.of(key), value=value[:60]))
    return str(value)


@lru_cache(maxsize=256)
def _cron_problem(expression: str) -> str | None:
    if len(expression) > 200 or len(expression.split()) != 5:
        return "it does not have five fields"
    from cronsim import CronSim, CronSimError

    try:
        ticks = CronSim(expression, datetime(2024, 1, 1, tzinfo=UTC))
    except CronSimError as error:
        return str(error)[:1].lower() + str(error)[1:]
    return None if next(ticks, None) else "it never fires"


@lru_cache(maxsize=256)
def is_zone(zone: str) -> bool:
    """Return whether a name is that of a time zone."""
    from zoneinfo import ZoneInfo

    if len(zone) > 60 or not ZONE.fullmatch(zone):
        return False
    try:
        ZoneInfo(zone)
    except (ValueError, OSError, KeyError):
        return False
    return True
