"""Which tables hold rows or values that their inputs cannot give again."""

from lamina.compiler.graph import CompiledModel
from lamina.project.strategy import DeleteInsert, Incremental, Merge


def keeps_history(model: CompiledModel) -> bool:
    """Say whether a table may hold what no build from its inputs brings back."""
    if any(use.on_touch == "keep" for use in model.inputs):
        return True
    match model.settings.strategy:
        case Merge(on_delete="delete", update_columns=None):
            return False
        case Merge() | DeleteInsert():
            return True
        case Incremental():
            return any(not use.is_driver for use in model.inputs) and len(model.inputs) > 1
        case _:
            return False
