"""Counts and names as a person reads them."""

from collections.abc import Iterable

_SHOWN = 3


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it must be.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(names: Iterable[str]) -> str:
    """Return names in backticks, a few of them.

    >>> listed("abcde")
    '`a`, `b`, `c` and 2 more'
    """
    every = tuple(names)
    shown = ", ".join(f"`{name}`" for name in every[:_SHOWN])
    return shown if len(every) <= _SHOWN else f"{shown} and {len(every) - _SHOWN} more"
