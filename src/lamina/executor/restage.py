"""A table that moved under a batch: go on from the new head if no row changed, else leave it to the next run."""

from lamina.compiler.graph import CompiledModel
from lamina.executor.publish import Writer
from lamina.executor.run_state import RunState
from lamina.values.touch import Nothing
from lamina.warehouse.failure import WarehouseFailure


def follow_harmless_move(writer: Writer, state: RunState, model: CompiledModel) -> None:
    """Accept a compaction or a property change, so that the batch can be staged again on it."""
    warehouse, record = writer.runtime.warehouse, state.record(model.name)
    head = warehouse.heads([model.target])[model.target]
    history = warehouse.history(model.target, record.position)
    is_harmless = all(item.is_content_preserving or isinstance(item.touch.extent, Nothing) for item in history.versions)
    if head.pointer is None or not history.is_linked or not is_harmless or record.position is None:
        raise WarehouseFailure(
            f"another writer changed `{model.target}` while it was built",
            kind="conflict",
            hint="nothing was published; run again, and the next run says what happened to the table",
        )
    record, touches = state.moved(model, head, tuple(version.touch for version in history.versions))
    writer.runtime.store.fold(writer.runtime.environment, writer.lease, touches=touches, models=(record,))
