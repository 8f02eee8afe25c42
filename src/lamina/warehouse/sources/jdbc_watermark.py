"""How far a table without versions has been read: the greatest load time seen, and how many rows were up to it."""

from typing import Literal

from lamina.values.names import Position
from lamina.values.value import Value
from lamina.values.words import counted

_BETWEEN = "|"


class Watermark(Value, frozen=True):
    """A position: rows up to a load time, those without one included; counts show rows that come there later."""

    place: str  # of which table and column, as a hash
    high: str | None  # as the database writes it; None: no row has a load time
    below: int  # rows before it
    at: int  # rows exactly there
    undated: int  # rows without a load time
    digest: str = "0"  # of the load times before it: of as many rows, some may have got another one

    @property
    def rows(self) -> int:
        """Return how many rows there are up to it."""
        return self.below + self.at + self.undated

    @property
    def position(self) -> Position:
        """Return it as text.

        >>> Watermark("a3", "2026-04-07 10:00:00+00", below=12, at=3, undated=0, digest="-57").position
        'a3|2026-04-07 10:00:00+00|12|3|0|-57'
        """
        counts = (str(self.below), str(self.at), str(self.undated))
        return Position(_BETWEEN.join((self.place, self.high or "", *counts, self.digest)))


def watermark_at(position: Position, place: str) -> Watermark | None:
    """Return the watermark that a position is; None of one that was found in another place or in another way.

    >>> watermark_at(Position("a3|2026-04-07 10:00:00+00|12|3|0|-57"), "a3").rows
    15
    >>> watermark_at(Position("a3|7|12|3|0|-57"), "b4"), watermark_at(Position("8412"), "a3")
    (None, None)
    """
    found, *rest = position.split(_BETWEEN)
    if found != place or len(rest) != 5 or not all(count.isdigit() for count in rest[1:4]):
        return None
    below, at, undated = (int(count) for count in rest[1:4])
    return Watermark(place, rest[0] or None, below=below, at=at, undated=undated, digest=rest[4])


class Counted(Value, frozen=True):
    """Rows as they are now, beside an earlier watermark."""

    below: int
    at: int
    undated: int
    newer: int  # after the earlier watermark, up to a later one
    digest: str = "0"


class Change(Value, frozen=True):
    """What happened to a table since a watermark, and where the rows are that changed."""

    # `after`: rows came behind the watermark only; `from`: rows came exactly there too; `anywhere`: any row may differ
    rows: Literal["after", "from", "anywhere"]
    detail: str = ""


def change_since(before: Watermark, now: Counted, *, column: str) -> Change:
    """Return what the counts show; rows that are equal in number and in their load times count as the same."""
    if now.undated != before.undated:
        return Change("anywhere", f"rows without a `{column}` were added or removed")
    if now.below < before.below or now.at < before.at:
        return Change("anywhere", f"rows were removed, or got a later `{column}`")
    if now.below > before.below:
        late = counted(now.below - before.below, "row")
        return Change("anywhere", f"{late} came with an earlier `{column}` than the last one that was read")
    if now.digest != before.digest:
        return Change("anywhere", f"rows got another `{column}`")
    if now.at > before.at:
        tied = counted(now.at - before.at, "row")
        return Change("from", f"{tied} came with the same `{column}` as the last one that was read")
    if now.newer == 0:
        return Change("anywhere", "rows changed while they were counted")
    return Change("after")


def is_as_it_was(before: Watermark, now: Counted) -> bool:
    """Return whether rows up to a watermark are as many as they were, before it, there and without a load time."""
    counts = (before.below, before.at, before.undated, before.digest)
    return (now.below, now.at, now.undated, now.digest) == counts
