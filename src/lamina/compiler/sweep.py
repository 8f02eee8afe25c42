"""Cyclic garbage of compiling: syntax trees and the lookups of linking, dropped in portions."""

import gc
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

PORTION = 100


def swept(items: Iterable[T]) -> Iterator[T]:
    """Yield items; after every hundred drop the garbage they left, looking at young values only."""
    for number, item in enumerate(items, start=1):
        yield item
        if number % PORTION == 0:
            gc.collect(0)
