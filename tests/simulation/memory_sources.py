"""Sources in the lake as the warehouse port sees them: where they are now, and what changed since."""

from dataclasses import replace

from tests.simulation.differences import compare_files, extent_of
from tests.simulation.lake import Lake
from tests.simulation.table_versions import compare_versions, head_of, step_touch, steps_since

from lamina.project.source import SourceTable
from lamina.values.facts import Head
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.result import Detection
from lamina.values.row_counts import rows_on_time
from lamina.values.touch import Everything, Nothing, Touch
from lamina.warehouse.failure import WarehouseFailure


class MemorySources:
    """Folders of files and tables with versions, which others write."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def head(self, source: SourceTable, pin: Position | None) -> Head:
        """Return the current head of a source, or its pin if it can still be read like that."""
        if self._lake.broken.get(source.location) == "listing":
            raise WarehouseFailure(f"`{source.name}` cannot be listed", kind="not_found")
        if self._lake.broken.get(source.location) == "types":
            raise WarehouseFailure(f"the files of `{source.name}` do not go together", kind="data_rejected")
        head = self._head(source)
        return head.replace(position=pin) if self._can_pin(source, pin) else head

    def _require_changes(self, source: SourceTable) -> None:
        if self._lake.broken.get(source.location) == "changes":
            raise WarehouseFailure(f"nothing says what changed in `{source.name}`", kind="not_found")

    def _can_pin(self, source: SourceTable, pin: Position | None) -> bool:
        if pin is None:
            return False
        if source.type == "files":
            before = self._lake.manifests.get(pin)
            now = self._lake.manifests[self._lake.manifest(source.location)]
            return before is not None and before.items() <= now.items()
        metadata = self._lake.table(TableName(source.location))
        return metadata is not None and any(step.position == pin for step in metadata.ancestry())

    def _head(self, source: SourceTable) -> Head:
        name = TableName(source.name)
        if source.type == "files":
            position = self._lake.manifest(source.location)
            files = len(self._lake.manifests[position])
            return Head(name, pointer=None, position=position, columns=source.columns, files=files)
        location = TableName(source.location)
        pointer = self._lake.pointer(location)
        if pointer is None:
            raise WarehouseFailure(f"table `{location}` is not in the catalog", kind="not_found")
        return head_of(name, self._lake.metadata[pointer], pointer=pointer)

    def changes(
        self, source: SourceTable, since: Position, *, columns: tuple[ColumnName, ...], until: Position | None = None
    ) -> tuple[Touch, ...]:
        """Return what changed in a source after `since`, up to `until` or the head as it is now."""
        self._require_changes(source)
        head = until or self._head(source).position
        if head is None or head == since:
            return ()
        if source.type == "files":
            return (self._file_touch(source, since, columns=columns, head=head),)
        metadata = self._lake.table(TableName(source.location))
        steps = None if metadata is None else steps_since(metadata, since)
        if metadata is None or steps is None:
            return (Touch(TableName(source.name), position=head or since, parent=since, extent=Everything()),)
        positions = [step.position for step in steps]
        wanted = steps[: positions.index(head) + 1] if head in positions else steps
        return tuple(step_touch(TableName(source.name), metadata, step, columns=columns) for step in wanted)

    def _file_touch(
        self, source: SourceTable, since: Position, *, columns: tuple[ColumnName, ...], head: Position
    ) -> Touch:
        name = TableName(source.name)
        before, after = self._lake.manifests.get(since), self._lake.manifests[head]
        if before is None:
            return Touch(name, position=head, parent=since, extent=Everything())
        names = tuple(column.name for column in source.columns)
        gone = [version for file, version in sorted(before.items()) if after.get(file) != version]
        new = [version for file, version in sorted(after.items()) if before.get(file) != version]
        removed = self._lake.file_rows(gone, columns=names)
        added = self._lake.file_rows(new, columns=names)
        return Touch(
            name,
            position=head,
            parent=since,
            extent=extent_of(added, removed, columns=columns) if gone or new else Nothing(),
            is_append=not gone,
            has_new_rows=any(file not in before for file in after),
            rows_added=len(added.rows),
            rows=rows_on_time(len(added.rows), is_append=not gone),
        )

    def is_emptied(self, source: SourceTable, since: Position, *, until: Position) -> bool:
        """Return whether a folder is empty that was not, or is not known, at an earlier position."""
        if source.type != "files" or self._lake.manifests[until]:
            return False
        return self._lake.manifests.get(since) != {}

    def detection(self, source: SourceTable, since: Position | None, *, until: Position) -> Detection:
        """Return which files or versions of a source were added, changed or removed between two positions."""
        self._require_changes(source)
        if source.type == "files":
            before = {} if since is None else self._lake.manifests.get(since, {})
            return compare_files(source.name, before, self._lake.manifests[until])
        metadata = self._lake.table(TableName(source.location))
        assert metadata is not None, "only a source that is there is looked at"
        return compare_versions(source.name, replace(metadata, current=int(until)), since)
