"""A version of a table as a person names it: a snapshot, what a run left, or what was there before one; pure."""

from collections.abc import Iterator

from lamina.errors import UsageError
from lamina.values.names import Position, TableName
from lamina.warehouse.iceberg.metadata import Metadata

PREVIOUS = "previous"
BEFORE = "before:"


def find_version(table: TableName, metadata: Metadata, text: str | None) -> Position:
    """Return the version of a table that a text names, or raise; None is the current one.

    `previous` is what was there before the last run, or other writer, that changed rows: a mark or a compaction
    changes none.
    """
    line = tuple(_ancestry(metadata))
    found: Position | None
    if text is None:
        found = metadata.position
    elif text == PREVIOUS:
        changed = next((item for item in line if not metadata.snapshots[item].is_content_preserving), None)
        found = None if changed is None else _before(metadata, line, changed)
    elif text.startswith(BEFORE):
        last = _left_by(metadata, line, text.removeprefix(BEFORE))
        found = None if last is None else _before(metadata, line, last)
    elif text.isdecimal():
        found = Position(text)
    else:
        found = _left_by(metadata, line, text)
    if found is None or found not in metadata.snapshots:
        raise _unknown(table, text)
    return found


def _ancestry(metadata: Metadata) -> Iterator[Position]:
    """Yield the versions of a table that are kept, newest first."""
    position = metadata.position
    while position is not None and position in metadata.snapshots:
        yield position
        position = metadata.parent(position)


def _before(metadata: Metadata, line: tuple[Position, ...], last: Position) -> Position | None:
    """Return the version before the run that published one, which may have published several in a row."""
    run_id, first = _run_of(metadata, last), last
    for position in line[line.index(last) + 1 :] if run_id is not None else ():
        if _run_of(metadata, position) != run_id:
            break
        first = position
    return metadata.parent(first)


def _left_by(metadata: Metadata, line: tuple[Position, ...], run_id: str) -> Position | None:
    return next((position for position in line if _run_of(metadata, position) == run_id), None)


def _run_of(metadata: Metadata, position: Position) -> str | None:
    mark = metadata.snapshots[position].mark
    return None if mark is None else mark.run_id


def _unknown(table: TableName, text: str | None) -> UsageError:
    if text is None:
        return UsageError(f"`{table}` has no version yet", hint="`lamina run` builds it")
    if text == PREVIOUS:
        hint = "it was written once, or its older versions have expired"
        return UsageError(f"`{table}` has no version before its last change", hint=hint)
    hint = f"`lamina query 'SELECT snapshot_id, committed_at FROM {table}.snapshots'` lists them; a run goes by its id"
    return UsageError(f"`{table}` has no version `{text}`", hint=hint)
