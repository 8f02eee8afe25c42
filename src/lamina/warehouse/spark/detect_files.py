"""Changes of file sources, from manifests: which files came, went or changed, and which times they hold."""

from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values.facts import Head
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.result import Detection
from lamina.values.touch import ColumnRanges, Everything, Extent, Nothing, Ranges, Touch
from lamina.warehouse.spark import file_ranges, manifest
from lamina.warehouse.spark.manifest import FileEntry, HeldFile, Manifest
from lamina.warehouse.spark.settings import SparkSettings


def file_head(settings: SparkSettings, source: SourceTable, *, columns: tuple[ColumnName, ...]) -> Head:
    """Return a source's head, keeping the manifest it names and what new files hold."""
    entries = manifest.list_files(source, manifest.locate(settings, source))
    position = manifest.position_of(entries, manifest.reading_of(source))
    if not manifest.is_stored(settings, position):
        known = _newest(settings, source)
        _keep(settings, source, entries, known=known, columns=columns)
        _remember(settings, source, position)
    return _head(source, position, entries)


def pinned_head(settings: SparkSettings, source: SourceTable, position: Position) -> Head | None:
    """Return the head of an earlier look, if all of its files are still as they were; files that came are left out."""
    if not manifest.is_stored(settings, position):
        return None
    pinned = manifest.load_manifest(settings, source, position)
    entries = pinned.entries
    if pinned.reading != manifest.reading_of(source):
        return None
    if not set(entries) <= set(manifest.list_files(source, manifest.locate(settings, source))):
        return None
    return _head(source, position, entries)


def file_changes(
    settings: SparkSettings,
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
        after = _keep(settings, source, after.entries, known=None, columns=columns)
    if not manifest.is_stored(settings, since):
        return (_touch(source, since, head, Everything()),)
    before = manifest.load_manifest(settings, source, since)
    if before.reading != after.reading:
        return (_touch(source, since, head, Everything()).replace(detail="its files are read in another way"),)
    came, went = compare(before, after)
    touch = _touch(source, since, head, extent_of((*came, *went), columns))
    return (touch.replace(is_append=not went, detail=_in_words(came, went)),)


def detection(settings: SparkSettings, source: SourceTable, since: Position | None, *, until: Position) -> Detection:
    """Return which files came, changed and went from one manifest to another; all came where the first is unknown."""
    after = manifest.load_manifest(settings, source, until)
    is_known = since is not None and manifest.is_stored(settings, since)
    before = manifest.load_manifest(settings, source, since) if since is not None and is_known else None
    came, went = compare(before, after) if before is not None else (after.files, ())
    new, old = ({_named(source, item.file) for item in files} for files in (came, went))
    return Detection(
        input=source.name,
        detector="files",
        changed=tuple(sorted(new & old)),
        added=tuple(sorted(new - old)),
        removed=tuple(sorted(old - new)),
        unchanged=len(after.files) - len(came),
    )


def compare(before: Manifest, after: Manifest) -> tuple[tuple[HeldFile, ...], tuple[HeldFile, ...]]:
    """Return the files that came and those that went; a changed file does both."""
    old = {item.file: item for item in before.files}
    new = {item.file: item for item in after.files}
    came = tuple(item for file, item in new.items() if file not in old)
    went = tuple(item for file, item in old.items() if file not in new)
    return came, went


def extent_of(files: tuple[HeldFile, ...], columns: tuple[ColumnName, ...]) -> Extent:
    """Return which times files hold, for each column that all of them tell of."""
    if not files:
        return Nothing()
    told = [(column, [_held(item, column) for item in files]) for column in columns]
    known = tuple(
        ColumnRanges(column=column, ranges=_union([ranges for ranges in found if ranges is not None]))
        for column, found in told
        if all(ranges is not None for ranges in found)
    )
    return Ranges(columns=known) if known else Everything()


def _held(item: HeldFile, column: ColumnName) -> tuple[Interval, ...] | None:
    return next((held.ranges for held in item.held if held.column == column), None)


def _union(ranges: list[tuple[Interval, ...]]) -> tuple[Interval, ...]:
    return merge(tuple(span for spans in ranges for span in spans))


def _named(source: SourceTable, entry: FileEntry) -> str:
    """Return the path of a file; a source that is one file is named by its location."""
    return source.location if entry.path == "." else entry.path


def _in_words(came: tuple[HeldFile, ...], went: tuple[HeldFile, ...]) -> str:
    """Say how many files came, changed and went."""
    new, old = ({item.file.path for item in files} for files in (came, went))
    counts = (("added", len(new - old)), ("changed", len(new & old)), ("removed", len(old - new)))
    return ", ".join(f"{count:,} file{'' if count == 1 else 's'} {word}" for word, count in counts if count)


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


def _keep(
    settings: SparkSettings,
    source: SourceTable,
    entries: tuple[FileEntry, ...],
    *,
    known: Manifest | None,
    columns: tuple[ColumnName, ...],
) -> Manifest:
    """Store a manifest; files that were looked at for these columns before are not opened again."""
    reading = manifest.reading_of(source)
    is_enough = known is not None and set(columns) <= set(known.asked) and known.reading == reading
    old = {item.file: item for item in known.files} if known is not None and is_enough else {}
    location = manifest.locate(settings, source)
    files = tuple(
        old.get(entry) or HeldFile(file=entry, held=file_ranges.held_by(source, location, entry, columns=columns))
        for entry in entries
    )
    asked = known.asked if known is not None and is_enough else columns
    kept = Manifest(source=source.name, files=files, asked=asked, reading=reading)
    manifest.store_manifest(settings, kept)
    return kept


def _newest(settings: SparkSettings, source: SourceTable) -> Manifest | None:
    """Return the manifest that was current when this source was last looked at."""
    path = _newest_path(settings, source)
    position = Position(path.read_text()) if path.is_file() else None
    if position is None or not manifest.is_stored(settings, position):
        return None
    return manifest.load_manifest(settings, source, position)


def _remember(settings: SparkSettings, source: SourceTable, position: Position) -> None:
    manifest.write_whole(_newest_path(settings, source), position.encode())


def _newest_path(settings: SparkSettings, source: SourceTable) -> Path:
    return Path(settings.warehouse, "_lamina", "sources", f"{source.name}.newest")
