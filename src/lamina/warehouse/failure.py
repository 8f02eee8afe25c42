"""What ends a batch in the warehouse, by kind, so that a run knows whether to try again."""

from typing import Literal

from lamina.errors import LaminaError
from lamina.values.diagnostic import Place
from lamina.values.names import Position, TableName

FailureKind = Literal[
    "auth_failed",
    "connection_failed",
    "query_rejected",
    "quota_exceeded",
    "not_found",
    "transient",
    "data_rejected",
    "conflict",
    "resources",
    "interrupted",
    "internal",
    "unknown",
]

# Worth another try: the same statement may pass a moment later.
_TRANSIENT: frozenset[FailureKind] = frozenset({"connection_failed", "transient", "quota_exceeded"})


class WarehouseFailure(LaminaError):
    """Work on a table failed; `kind` says what kind of failure it is, `error_class` how the engine calls it.

    Why: Spark, the catalog or the disk refused; the message says what it reported.
    Fix: follow the hint; nothing of the batch was published. What failed is tried again later, and at once with
    `lamina retry MODEL`.
    """

    code = "L630"

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind,
        error_class: str | None = None,
        hint: str | None = None,
        place: Place | None = None,
    ) -> None:
        super().__init__(message, hint=hint, place=place)
        self.kind: FailureKind = kind
        self.error_class = error_class

    @property
    def is_transient(self) -> bool:
        """Return whether another try may succeed."""
        return self.kind in _TRANSIENT


class RebuildNeeded(WarehouseFailure):
    """A batch cannot be written in place: only building the whole table again can take it in.

    Why: rows or types that the table already holds do not go together with the new ones.
    Fix: nothing; a run rebuilds the table in one step, unless it only applies a plan that does not list it.
    """


class NotAppended(RebuildNeeded):
    """Rows were changed or removed between two versions, or a version is gone: new rows cannot be read alone.

    Why: an incremental model reads only new rows, and here old ones changed too, or the versions between expired.
    Fix: run again: the model is rebuilt from all of its input.
    """

    code = "L625"

    def __init__(self, table: TableName, since: Position) -> None:
        super().__init__(
            f"what was appended to `{table}` since version {since} cannot be separated from what changed",
            kind="conflict",
            hint="the model is rebuilt from all of its input",
        )


class SourceUnreadable(WarehouseFailure):
    """A source's files cannot be listed or read.

    Why: a result that leaves files out would be wrong without saying so.
    Fix: check the permissions of the named file, and that it is complete.
    """

    code = "L622"

    def __init__(
        self,
        source: str,
        path: str,
        detail: str,
        *,
        hint: str = "check the permissions of the file, and that it is complete",
    ) -> None:
        super().__init__(f"source `{source}` cannot be read: `{path}` ({detail})", kind="not_found", hint=hint)


class WarehouseNotWritable(WarehouseFailure):
    """The folder of the tables cannot be written.

    Why: permissions are missing, the disk is full, or the path is a file.
    Fix: repair the folder, or set `warehouse` under `[catalog]` to another one.
    """

    code = "L644"

    def __init__(self, folder: str, detail: str) -> None:
        super().__init__(
            f"the warehouse folder cannot be written: `{folder}` ({detail})",
            kind="resources",
            hint="check the permissions and the free space of the folder, or set `warehouse` under `[catalog]`",
        )
