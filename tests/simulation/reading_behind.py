"""Runs that read inputs at versions before their newest, as when only a part of what came is taken."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from tests.simulation.world import World

from lamina.executor import step
from lamina.executor.publish import BatchBase, Outcome, Writer, publish_batch
from lamina.values.batch import Batch, Pin
from lamina.values.names import ModelName, TableName
from lamina.values.touch import Touch


@contextmanager
def reading_behind(world: World, back: int) -> Iterator[None]:
    """Let the first batch of each model read its versioned inputs some versions back, as far as their logs go."""
    seen: set[ModelName] = set()

    def publish(writer: Writer, base: BatchBase, batch: Batch) -> Outcome:
        if batch.model in seen or batch.mode == "rewrite":
            return publish_batch(writer, base, batch)
        seen.add(batch.model)
        pins = tuple(_earlier(world, base, pin, back) for pin in batch.pins)
        return publish_batch(writer, base, batch.replace(pins=pins))

    with patch.object(step, "publish_batch", publish):
        yield


def _earlier(world: World, base: BatchBase, pin: Pin, back: int) -> Pin:
    """Return a pin at an earlier version that can still be read; files and a table's own past are read as they are."""
    if pin.input == TableName(base.model.name):
        return pin
    metadata = world.lake.table(_table_of(world, pin.input))
    if metadata is None:
        return pin
    readable = {snapshot.position for snapshot in metadata.ancestry()}
    chain = _chain(base.logs[pin.input], pin)
    found = [position for position in chain[:-1][-back:] if position in readable]
    return pin.replace(position=found[0]) if found else pin


def _chain(log: tuple[Touch, ...], pin: Pin) -> list[str]:
    """Return the versions that lead to a pin, from where it reads on, as far as the log knows them."""
    positions: list[str] = []
    for touch in log:
        if not positions or touch.parent != positions[-1]:
            positions = []
        positions.append(touch.position)
        if touch.position == pin.position:
            break
    if pin.position not in positions:
        return []
    if pin.since is None:
        return positions
    return positions[positions.index(pin.since) + 1 :] if pin.since in positions else positions


def _table_of(world: World, name: TableName) -> TableName:
    graph, _ = world.compile()
    return next((TableName(source.location) for source in graph.sources if str(source.name) == name), name)
