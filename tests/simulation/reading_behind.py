"""Runs that read inputs at versions before their newest, as when only a part of what came is taken."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from tests.simulation.world import World

from lamina.executor import step
from lamina.executor.publish import BatchBase, Outcome, Writer, publish_batch
from lamina.values.batch import Batch, Pin
from lamina.values.names import ModelName, Position, TableName
from lamina.values.touch import Touch


@contextmanager
def reading_behind(world: World, back: int) -> Iterator[None]:
    """Let the first batch of each model read its versioned inputs some versions back, as far as their logs go."""
    seen: set[ModelName] = set()

    def publish(writer: Writer, base: BatchBase, batch: Batch) -> Outcome:
        # Built whole from an earlier version, a table that keeps rows would lack those that came since.
        is_whole = batch.mode == "replace_all" and any(use.on_touch == "keep" for use in base.model.inputs)
        if batch.model in seen or batch.mode == "rewrite" or is_whole:
            return publish_batch(writer, base, batch)
        seen.add(batch.model)
        pins = tuple(_earlier(world, base, pin, back, since=_read_before(batch, pin)) for pin in batch.pins)
        return publish_batch(writer, base, batch.replace(pins=pins))

    with patch.object(step, "publish_batch", publish):
        yield


def _read_before(batch: Batch, pin: Pin) -> Position | None:
    """Return the version up to which a driver was read: no later batch reads an earlier one."""
    read = batch.by_time
    is_read = read is not None and read.input == pin.input and read.before is not None
    return read.before.loads[-1].position if is_read and read is not None and read.before is not None else pin.since


def _earlier(world: World, base: BatchBase, pin: Pin, back: int, *, since: Position | None) -> Pin:
    """Return a pin at an earlier version that can still be read; files and a table's own past are read as they are."""
    if pin.input == TableName(base.model.name):
        return pin
    metadata = world.lake.table(_table_of(world, pin.input))
    if metadata is None:
        return pin
    use = next(use for use in base.model.inputs if use.name == pin.input)
    # A column that came with a change of code is not in older versions.
    wanted = set(metadata.head.relation.columns if use.read_set is None else use.read_set)
    readable = {item.position for item in metadata.ancestry() if wanted <= set(item.relation.columns)}
    chain = _chain(base.logs[pin.input], pin, since=since)
    found = [position for position in chain[:-1][-back:] if position in readable]
    return pin.replace(position=found[0]) if found else pin


def _chain(log: tuple[Touch, ...], pin: Pin, *, since: Position | None) -> list[str]:
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
    if since is None:
        return positions
    return positions[positions.index(since) + 1 :] if since in positions else positions


def _table_of(world: World, name: TableName) -> TableName:
    graph, _ = world.compile()
    found = (TableName(source.location) for source in graph.sources if str(source.name) == name)
    return next(found, None) or world.place(str(name))
