"""Durations as users write them: a number and a unit."""

import re

SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
SHORT = {"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week"}
DURATION = re.compile(r"(\d{1,9})\s*([a-z]+)", re.ASCII)


def parse_duration(text: str) -> int | None:
    """Return the seconds of a duration, or None if the text is none.

    >>> parse_duration("6 days"), parse_duration("36h"), parse_duration("soon")
    (518400, 129600, None)
    """
    found = DURATION.fullmatch(text.strip())
    if found is None:
        return None
    word = SHORT.get(found[2], found[2].removesuffix("s"))
    return int(found[1]) * SECONDS[word] if word in SECONDS else None
