"""The order of work: layers by Kahn with alphabetical ties, and the loops that prevent it."""

from collections.abc import Mapping
from typing import NamedTuple


class Layers(NamedTuple):
    """Names by layer; `loops` are the cycles among the names that have none."""

    layers: tuple[tuple[str, ...], ...]
    loops: tuple[tuple[str, ...], ...]


def arrange(reads: Mapping[str, tuple[str, ...]]) -> Layers:
    """Put each name one layer above the highest of those it reads.

    >>> arrange({"c": ("a", "b"), "b": ("a",), "a": ()}).layers
    (('a',), ('b',), ('c',))
    """
    waiting = {name: len(set(inputs)) for name, inputs in reads.items()}
    readers: dict[str, list[str]] = {name: [] for name in reads}
    for name, inputs in reads.items():
        for item in set(inputs):
            readers[item].append(name)
    layers: list[tuple[str, ...]] = []
    ready = sorted(name for name, count in waiting.items() if count == 0)
    while ready:
        layers.append(tuple(ready))
        following: list[str] = []
        for name in ready:
            for reader in readers[name]:
                waiting[reader] -= 1
                if waiting[reader] == 0:
                    following.append(reader)
        ready = sorted(following)
    placed = {name for layer in layers for name in layer}
    stuck = {name: inputs for name, inputs in reads.items() if name not in placed}
    return Layers(tuple(layers), tuple(_loops(stuck)))


def _loops(reads: Mapping[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return one loop for each knot of names, smallest name first; names that only read a loop are in none."""
    loops: list[tuple[str, ...]] = []
    done: set[str] = set()
    for start in sorted(reads):
        if start in done:
            continue
        path: list[str] = []
        position: dict[str, int] = {}
        name: str | None = start
        # Every stuck name reads a stuck name, so following the first one must come back to the path.
        while name is not None and name not in position and name not in done:
            position[name] = len(path)
            path.append(name)
            name = min((item for item in reads[name] if item in reads), default=None)
        if name is not None and name in position:
            loops.append(_from_smallest(path[position[name] :]))
        done.update(path)
    return sorted(set(loops))


def _from_smallest(loop: list[str]) -> tuple[str, ...]:
    first = loop.index(min(loop))
    return tuple(loop[first:] + loop[:first])
