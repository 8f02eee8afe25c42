"""A build that could not read a table of ours: find whose files are lost, and remember it until they are back."""

from lamina.compiler.graph import CompiledModel
from lamina.errors import LaminaError
from lamina.executor.publish import ChecksFailed, Writer
from lamina.strategies.history import keeps_history
from lamina.values.facts import Failure
from lamina.values.interval import WHOLE
from lamina.warehouse.failure import WarehouseFailure

# Failures that can never come from a file that is missing or damaged.
_OTHER_CAUSES = ("query_rejected", "conflict", "interrupted", "auth_failed", "quota_exceeded")


class TableFilesLost(WarehouseFailure):
    """Files of a model's table are missing or damaged.

    Why: data files, manifests or metadata were deleted, moved or overwritten; what was in them cannot be read.
    Fix: restore the file from a backup, or build the table again with `lamina run -s MODEL --full-refresh`, which does
    not read the old files. A table that keeps rows which its inputs no longer have needs `--accept-loss` for that.
    """

    code = "L632"

    def __init__(self, model: str, file: str, *, keeps_rows: bool) -> None:
        build = f"lamina run -s {model} --full-refresh{' --accept-loss' if keeps_rows else ''}"
        loss = ", which drops the rows that its inputs no longer have" if keeps_rows else ""
        super().__init__(
            f"files of the table of `{model}` are lost: `{file}` cannot be read",
            kind="not_found",
            hint=f"restore the file, or build the table again: `{build}`{loss}",
        )


def lost_among(
    writer: Writer, models: tuple[CompiledModel, ...], error: LaminaError
) -> tuple[CompiledModel, TableFilesLost] | None:
    """Return the first table whose files are lost, where that explains a failure; it is remembered for later runs."""
    is_possible = isinstance(error, WarehouseFailure) and not isinstance(error, ChecksFailed)
    if not is_possible or getattr(error, "kind", "") in _OTHER_CAUSES:
        return None
    runtime = writer.runtime
    for model in models:
        file = runtime.warehouse.lost_file(model.target)
        if file is None:
            continue
        lost = TableFilesLost(model.name, file, keeps_rows=keeps_history(model.traits, model.inputs))
        failure = Failure(
            model=model.name,
            interval=WHOLE,
            fingerprint=model.fingerprint,
            pins={},
            kind=lost.kind,
            message=lost.message,
            attempts=1,
            first_seen=runtime.clock(),
            run_id=writer.run_id,
            lost_file=file,
        )
        runtime.store.fail((failure,), writer.lease)
        return model, lost
    return None
