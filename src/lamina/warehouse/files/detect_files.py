"""Changes of file sources, from manifests: which files were added, removed or changed, and which times they hold."""

from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values import codec
from lamina.values.facts import Head
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.touch import ColumnRanges, Everything, Extent, FileCounts, Nothing, Ranges, Touch
from lamina.warehouse.failure import SourceUnreadable
from lamina.warehouse.files import file_ranges, manifest
from lamina.warehouse.files.last_look import LastLook, keep_last_look, load_last_look
from lamina.warehouse.files.manifest import FileEntry, HeldFile, Manifest
from lamina.warehouse.files.reading import reading_of
from lamina.warehouse.plain_sentence import system_words
from lamina.warehouse.settings import WarehouseSettings


def file_head(settings: WarehouseSettings, source: SourceTable, *, columns: tuple[ColumnName, ...]) -> Head:
    """Return a source's head, keeping the manifest it names and what new files hold."""
    location = manifest.locate(settings, source)
    listed = manifest.list_files(source, location)
    listing = codec.content_hash((listed, reading_of(source)))
    last = load_last_look(settings, source)
    if last is not None and last.listing == listing and manifest.is_stored(settings, last.position):
        return _head(source, last.position, listed)
    known = _known(settings, source, last, listed)
    files = _as_known(source, known, listed, location)
    position, _ = _keep(settings, source, files, known=known, columns=columns)
    keep_last_look(settings, source, LastLook(position=position, listing=listing))
    return _head(source, position, listed)


def pinned_head(settings: WarehouseSettings, source: SourceTable, position: Position) -> Head | None:
    """Return the head of an earlier look, if all of its files are still as they were; new files are left out."""
    if not manifest.is_stored(settings, position):
        return None
    pinned = manifest.load_manifest(settings, source, position)
    if pinned.reading != reading_of(source):
        return None
    location = manifest.locate(settings, source)
    now = {item.file: item for item in _as_known(source, pinned, manifest.list_files(source, location), location)}
    if not now.keys() >= set(pinned.entries):
        return None
    files = tuple(now[entry] for entry in pinned.entries)
    if files != pinned.files:
        manifest.store_manifest(settings, pinned.replace(files=files))
    return _head(source, position, pinned.entries)


def file_changes(
    settings: WarehouseSettings,
    source: SourceTable,
    since: Position,
    *,
    columns: tuple[ColumnName, ...],
    until: Position | None = None,
) -> tuple[Touch, ...]:
    """Return what changed in a source from one manifest to another, or to its files now, as one touch or nothing."""
    head = until or file_head(settings, source, columns=columns).position
    if head is None or head == since:
        return ()
    after = manifest.load_manifest(settings, source, head)
    if not set(columns) <= set(after.asked):
        _, after = _keep(settings, source, after.files, known=None, columns=columns)
    if not manifest.is_stored(settings, since):
        return (_touch(source, since, head, Everything()).replace(has_new_rows=True),)
    before = manifest.load_manifest(settings, source, since)
    old = {item.file.path for item in before.files}
    has_new_rows = any(item.file.path not in old for item in after.files)
    if before.reading != after.reading:
        touch, detail = _touch(source, since, head, Everything()), "its files are read with different settings"
        return (touch.replace(has_new_rows=has_new_rows, detail=detail),)
    came, went = compare(before, after)
    touch = _touch(source, since, head, extent_of((*came, *went), columns))
    return (touch.replace(is_append=not went, has_new_rows=has_new_rows, files=_counts(came, went)),)


def compare(before: Manifest, after: Manifest) -> tuple[tuple[HeldFile, ...], tuple[HeldFile, ...]]:
    """Return the files that were added and those that were removed; a changed file does both."""
    old = {item.file: item for item in before.files}
    new = {item.file: item for item in after.files}
    came = tuple(item for file, item in new.items() if file not in old)
    went = tuple(item for file, item in old.items() if file not in new)
    return came, went


def extent_of(files: tuple[HeldFile, ...], columns: tuple[ColumnName, ...]) -> Extent:
    """Return which times files have, for each column where all of them are known."""
    if not files:
        return Nothing()
    by_column = [(column, [_held(item, column) for item in files]) for column in columns]
    known = tuple(
        ColumnRanges(column=column, ranges=_union([ranges for ranges in found if ranges is not None]))
        for column, found in by_column
        if all(ranges is not None for ranges in found)
    )
    return Ranges(columns=known) if known else Everything()


def _held(item: HeldFile, column: ColumnName) -> tuple[Interval, ...] | None:
    return next((held.ranges for held in item.held if held.column == column), None)


def _union(ranges: list[tuple[Interval, ...]]) -> tuple[Interval, ...]:
    return merge(tuple(span for spans in ranges for span in spans))


def _counts(came: tuple[HeldFile, ...], went: tuple[HeldFile, ...]) -> FileCounts:
    new, old = ({item.file.path for item in files} for files in (came, went))
    return FileCounts(added=len(new - old), changed=len(new & old), removed=len(old - new))


def _head(source: SourceTable, position: Position, entries: tuple[FileEntry, ...]) -> Head:
    return Head(
        table=TableName(source.name),
        pointer=None,
        position=position,
        columns=source.columns,
        bytes=sum(entry.size for entry in entries),
        files=len(entries),
    )


def _touch(source: SourceTable, since: Position, head: Position, extent: Extent) -> Touch:
    return Touch(table=TableName(source.name), position=head, parent=since, extent=extent)


def _known(
    settings: WarehouseSettings, source: SourceTable, last: LastLook | None, listed: tuple[FileEntry, ...]
) -> Manifest | None:
    """Return the manifest that was current when this source was last looked at."""
    position = None if last is None else last.position
    if last is None or not last.listing:
        # Before ctimes were kept a position was made without them, and an earlier one could come again.
        plain = tuple(entry.replace(changed_ns=0) for entry in listed)
        earlier = manifest.position_of(plain, reading_of(source))
        position = earlier if manifest.is_stored(settings, earlier) else position
    if position is None or not manifest.is_stored(settings, position):
        return None
    return manifest.load_manifest(settings, source, position)


def _as_known(
    source: SourceTable, known: Manifest | None, listed: tuple[FileEntry, ...], location: Path
) -> tuple[HeldFile, ...]:
    """Return the listed files, each as the one that is known already where it is that one."""
    before = {item.file.path: item for item in known.files} if known is not None else {}
    files = []
    for entry in listed:
        item = before.get(entry.path)
        try:
            same = None if item is None else item.settled(entry, location)
        except OSError as error:
            path = manifest.path_of(location, entry)
            raise SourceUnreadable(source.name, str(path), system_words(error)) from error
        files.append(same or HeldFile(file=entry))
    return tuple(files)


def _keep(
    settings: WarehouseSettings,
    source: SourceTable,
    files: tuple[HeldFile, ...],
    *,
    known: Manifest | None,
    columns: tuple[ColumnName, ...],
) -> tuple[Position, Manifest]:
    """Store a manifest; files that were looked at for these columns before are not opened again."""
    reading = reading_of(source)
    is_enough = known is not None and set(columns) <= set(known.asked) and known.reading == reading
    looked_at = set(known.entries) if known is not None and is_enough else set()
    location = manifest.locate(settings, source)
    files = tuple(
        item
        if item.file in looked_at
        else item.replace(held=file_ranges.held_by(source, location, item.file, columns=columns))
        for item in files
    )
    asked = known.asked if known is not None and is_enough else columns
    kept = Manifest(source=source.name, files=files, asked=asked, reading=reading)
    return manifest.store_manifest(settings, kept), kept
