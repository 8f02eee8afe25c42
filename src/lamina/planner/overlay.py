"""Many touches at once: which stretch of time each reaches, so that folding costs no more than what changed."""

from collections.abc import Sequence

from lamina.values.interval import Interval
from lamina.values.value import Value


class Stretch(Value, frozen=True):
    """A span and the touches that reach it, by their place, in order."""

    interval: Interval
    places: tuple[int, ...]


def overlay(reaches: Sequence[tuple[Interval, ...]]) -> tuple[Stretch, ...]:
    """Return the stretches between all bounds of the reaches, in order, without those that nothing reaches."""
    opening: dict[int, list[int]] = {}
    closing: dict[int, list[int]] = {}
    spans = [(span, place) for place, reach in enumerate(reaches) for span in reach]
    bounds = sorted({bound for span, _ in spans for bound in (span.start, span.end)})
    order = {bound: index for index, bound in enumerate(bounds)}
    for span, place in spans:
        opening.setdefault(order[span.start], []).append(place)
        closing.setdefault(order[span.end], []).append(place)
    stretches: list[Stretch] = []
    active: set[int] = set()
    for index in range(len(bounds) - 1):
        active = (active - set(closing.get(index, ()))) | set(opening.get(index, ()))
        if active:
            between = Interval(bounds[index], bounds[index + 1])
            stretches.append(Stretch(interval=between, places=tuple(sorted(active))))
    return tuple(stretches)
