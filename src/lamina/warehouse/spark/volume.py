"""How much a run is likely to read, from what was looked at before it: decides how the JVM compiles."""

from lamina.project.source import SourceTable
from lamina.values.names import Position, TableName
from lamina.warehouse.sources.kinds import kind_of
from lamina.warehouse.sources.port import Lake


class Volume:
    """Remembers which sources were looked at, and since when each one changed."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._seen: dict[TableName, tuple[SourceTable, Position | None]] = {}
        self._changed: dict[TableName, Position] = {}

    def see(self, source: SourceTable, position: Position | None) -> None:
        """Note a source's head."""
        self._seen[TableName(source.name)] = (source, position)

    def change(self, source: SourceTable, since: Position) -> None:
        """Note that a source changed since a version."""
        self._changed[TableName(source.name)] = since

    def estimate(self, targets: tuple[TableName, ...]) -> int:
        """Return the bytes to be read: what changed, or everything if no table is built yet."""
        heads = self._lake.tables.heads(targets)
        is_first = all(head.pointer is None for head in heads.values())
        return sum(self._bytes(name, is_whole=is_first) for name in self._seen)

    def _bytes(self, name: TableName, *, is_whole: bool) -> int:
        source, position = self._seen[name]
        since = self._changed.get(name)
        if position is None or not (is_whole or since):
            return 0
        return kind_of(source).bytes_read(source, self._lake, position, None if is_whole else since)
