"""A source whose listing is empty: no table is emptied by a missing mount, or a folder that was cleared too early."""

from collections.abc import Iterable

from lamina.executor.runtime import Runtime
from lamina.project.source import SourceTable
from lamina.values.facts import Head
from lamina.values.names import Position
from lamina.warehouse.failure import WarehouseFailure


class SourceEmptied(WarehouseFailure):
    """A source that held files, or rows of a database, when it was last read has none now.

    Why: a mount that is missing, a wrong path or an upload under way looks like a source without rows; taken as its
    content, it would empty every table that reads it. Its readers wait, all other models are built.
    Fix: put the files back. If the source is to be empty, run once with `--accept-empty`: its readers are then built
    from no rows, and stay so until files come.
    """

    code = "L520"

    def __init__(self, source: SourceTable) -> None:
        held, back = "held files when it was last read, and lists none now", "the files"
        if source.connection is not None:
            held, back = "held rows when it was last read, and has none now", "its rows"
        super().__init__(
            f"source `{source.name}` {held}: `{source.location}`",
            kind="not_found",
            hint=f"put {back} back; `--accept-empty` takes the empty source as its content and empties its readers",
        )


def require_listed(runtime: Runtime, source: SourceTable, head: Head, *, consumed: Iterable[Position]) -> None:
    """Raise if a source lists nothing now, and held something at a position that its readers have reached."""
    now = head.position
    if head.files != 0 or now is None:
        return
    if any(runtime.warehouse.is_emptied(source, since, until=now) for since in consumed if since != now):
        raise SourceEmptied(source)
