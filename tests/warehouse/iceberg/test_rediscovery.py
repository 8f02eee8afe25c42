"""Who wrote a metadata file last, as the file itself shows."""

import pytest

from lamina.values import codec
from lamina.values.coverage import Coverage, Mark
from lamina.values.interval import WHOLE
from lamina.values.names import Fingerprint, Position, TableName
from lamina.values.touch import Everything, Touch
from lamina.warehouse.iceberg.metadata import MARK, TOUCH, Metadata, Snapshot
from lamina.warehouse.iceberg.rediscovery import kind_of

TABLE = TableName("sales.orders")


def _mark(commit: str) -> str:
    mark = Mark(commit, "r", 1, "p", "prod", "s", TABLE, Fingerprint("f"), (WHOLE,), {}, Coverage())
    return codec.to_json(mark).decode()


def _metadata(*kept: int, current: int, published: int, last: int) -> Metadata:
    """Return a table of which some versions, each marked and made on the one before it, have not expired."""
    snapshots = {
        Position(str(number)): Snapshot(
            Position(str(number)),
            Position(str(number - 1)) if number > 1 else None,
            {MARK: _mark(f"c{number}")},
            "",
            number,
        )
        for number in kept
    }
    touch = Touch(table=TABLE, position=Position(str(published)), parent=None, extent=Everything())
    late = {MARK: _mark(f"c{published}"), TOUCH: codec.to_json(touch).decode()}
    position = Position(str(current))
    return Metadata("p", "t", position, snapshots, (), {}, (), 1, (), late, sequence=last)


@pytest.mark.parametrize(
    ("metadata", "kind"),
    [
        (_metadata(1, 2, 3, current=3, published=3, last=3), "sealed"),
        (_metadata(1, 2, 3, current=2, published=3, last=3), "foreign"),
        (_metadata(2, current=2, published=3, last=3), "foreign"),
        (_metadata(1, 2, 3, 4, current=4, published=3, last=4), "unfinished"),
        (_metadata(5, 6, current=6, published=3, last=6), "unfinished"),
    ],
    ids=["a batch", "rolled back", "rolled back and expired", "a stage", "a stage on what others left"],
)
def test_the_last_writer_is_seen_in_the_file(metadata: Metadata, kind: str) -> None:
    assert kind_of(metadata) == kind
