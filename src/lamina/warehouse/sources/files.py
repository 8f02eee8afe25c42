"""Sources that are folders of files: their position is the list of the files, with size and times of each."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.project.source import SourceTable
from lamina.values.batch import Pin, RowsQuestion
from lamina.values.facts import Head
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.result import Detection, Detector
from lamina.values.touch import Touch
from lamina.warehouse.files import detect_files, manifest
from lamina.warehouse.files.appended_files import appended_files
from lamina.warehouse.files.file_digests import keep_digests
from lamina.warehouse.files.file_schema import files_schema
from lamina.warehouse.files.formats import format_of
from lamina.warehouse.files.manifest import FileEntry
from lamina.warehouse.files.needed_files import may_hold_rows, needed_files
from lamina.warehouse.schemas import SchemaAnswer, UnknownSchema
from lamina.warehouse.sources.file_frames import read_files
from lamina.warehouse.sources.file_types import require_one_schema
from lamina.warehouse.sources.port import ForSlices, Lake, Pointers, SourceRows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_DETECTOR: Detector = "files"

# Opening more files once more takes longer than the figure is worth.
_MOST_COUNTED = 2_000


def detector(_source: SourceTable) -> Detector:
    """Return that lists of files are compared."""
    return _DETECTOR


def table_of(_source: SourceTable) -> TableName | None:
    """Return None: files are in no catalog."""
    return None


def schema(source: SourceTable, root: Path, _pointers: Pointers) -> SchemaAnswer:
    """Return the columns that the files have together, if they name types; only new files are opened."""
    if not format_of(source).names_types:
        return UnknownSchema(
            reason=f"{source.format} files do not say the types of their columns",
            hint=f"declare `columns` for `{source.name}`",
        )
    return files_schema(source, root)


def head(source: SourceTable, lake: Lake, pin: Position | None, columns: tuple[ColumnName, ...]) -> Head:
    """Return the head of the files as they are now, or of an earlier look if all of its files are still the same."""
    require_one_schema(source, Path(lake.settings.root))
    pinned = None if pin is None else detect_files.pinned_head(lake.settings, source, pin)
    return pinned or detect_files.file_head(lake.settings, source, columns=columns)


def changes(
    source: SourceTable,
    lake: Lake,
    since: Position,
    *,
    columns: tuple[ColumnName, ...],
    until: Position | None,
) -> tuple[Touch, ...]:
    """Return one touch for all files that were added, changed or removed, or nothing."""
    return detect_files.file_changes(lake.settings, source, since, columns=columns, until=until)


def detection(source: SourceTable, lake: Lake, since: Position | None, *, until: Position) -> Detection:
    """Return which files are new, changed or removed between two lists; all are new where the first is unknown."""
    after = manifest.load_manifest(lake.settings, source, until)
    is_known = since is not None and manifest.is_stored(lake.settings, since)
    before = manifest.load_manifest(lake.settings, source, since) if since is not None and is_known else None
    came, went = detect_files.compare(before, after) if before is not None else (after.files, ())
    new, old = ({_named(source, item.file) for item in files} for files in (came, went))
    return Detection(
        input=source.name,
        detector=_DETECTOR,
        changed=tuple(sorted(new & old)),
        added=tuple(sorted(new - old)),
        removed=tuple(sorted(old - new)),
        unchanged=len(after.files) - len(came),
    )


def is_emptied(source: SourceTable, lake: Lake, since: Position, *, until: Position) -> bool:
    """Return whether the later list has no files, and the earlier one has some, or is not kept any more."""
    if manifest.load_manifest(lake.settings, source, until).files:
        return False
    return not manifest.is_stored(lake.settings, since) or bool(
        manifest.load_manifest(lake.settings, source, since).files
    )


def may_hold(source: SourceTable, lake: Lake, question: RowsQuestion) -> bool:
    """Return whether some listed file may have rows in a range."""
    held = manifest.load_manifest(lake.settings, source, question.position)
    return may_hold_rows(source, held, column=question.column, span=question.span)


def read(source: SourceTable, lake: Lake, session: "SparkSession", pin: Pin, wanted: ForSlices | None) -> SourceRows:
    """Return the rows of the pinned files that are needed; once they were read, their digests are kept."""
    entries = _entries(source, lake, pin, wanted)
    return SourceRows(
        frame=read_files(session, lake.settings, source, entries=entries),
        after_reading=partial(keep_digests, lake.settings, source, pin.position, entries),
    )


def recheck(source: SourceTable, lake: Lake, position: Position) -> None:
    """Raise if a file is not the one that was pinned, or is read in another way than then."""
    pinned = manifest.load_manifest(lake.settings, source, position)
    manifest.recheck(source, manifest.locate(lake.settings, source), pinned)


def unrepeatable(_source: SourceTable, _position: Position) -> None:
    """Return None: files that are not those of a list are noticed."""


def rows_read(source: SourceTable, lake: Lake, pin: Pin, wanted: ForSlices | None) -> int | None:
    """Return how many rows the files have that are read, where their format says so."""
    count, entries = format_of(source).rows, _entries(source, lake, pin, wanted)
    if count is None or len(entries) > _MOST_COUNTED:
        return None
    location = manifest.locate(lake.settings, source)
    try:
        return sum(count(manifest.path_of(location, entry)) for entry in entries)
    except (OSError, ValueError):
        return None  # a file that is gone by now is found before the batch is published


def bytes_read(source: SourceTable, lake: Lake, position: Position, since: Position | None) -> int:
    """Return the size of all files, or how much larger they are than those of an earlier list."""
    after = manifest.load_manifest(lake.settings, source, position)
    if since is None or not manifest.is_stored(lake.settings, since):
        return after.size
    return max(after.size - manifest.load_manifest(lake.settings, source, since).size, 0)


def _entries(source: SourceTable, lake: Lake, pin: Pin, wanted: ForSlices | None) -> tuple[FileEntry, ...]:
    if pin.since is not None:
        return appended_files(lake.settings, source, since=pin.since, pin=pin)
    held = manifest.load_manifest(lake.settings, source, pin.position)
    return held.entries if wanted is None else needed_files(wanted.model, source, held, span=wanted.span)


def _named(source: SourceTable, entry: FileEntry) -> str:
    """Return the path of a file; a source that is one file is named by its location."""
    return source.location if entry.path == "." else entry.path
