"""How far the driving input of a batch has come in its own time."""

from lamina.compiler.graph import CompiledModel
from lamina.strategies.driver import find_driver
from lamina.values.batch import Batch
from lamina.values.names import folded
from lamina.warehouse.spark.frame import Frames
from lamina.warehouse.sql import quote


def watermark_of(frames: Frames, model: CompiledModel, batch: Batch) -> str | None:
    """Return the largest timestamp in what was read of the driving input."""
    declared = model.traits.driver
    if declared is None or declared.timestamp_column is None:
        return None
    names = {folded(pin.input): pin.input for pin in batch.pins}
    # A Python model reads everything, so the linker names no driver; its watermark follows the setting.
    driver = model.driver or find_driver(declared, [*names.values()], names=names)
    pin = next((pin for pin in batch.pins if pin.input == driver or len(batch.pins) == 1), None)
    if pin is None:
        return None
    largest = frames.read(pin).selectExpr(f"max({quote(declared.timestamp_column)}) AS largest")
    is_instant = largest.schema["largest"].dataType.typeName().startswith("timestamp")
    (row,) = largest.selectExpr("CAST(largest AS STRING) AS text").collect()
    text: str | None = row["text"]
    # Sessions are in UTC.
    return f"{text.replace(' ', 'T')}Z" if text is not None and is_instant else text
