"""Which tables hold rows or values that their inputs cannot give again."""

from collections.abc import Sequence

from lamina.strategies.reading import Reading
from lamina.strategies.traits import Traits


def keeps_history(traits: Traits, inputs: Sequence[Reading]) -> bool:
    """Say whether a table may hold what no build from its inputs brings back."""
    if traits.kept_by or any(use.on_touch == "keep" for use in inputs):
        return True
    if traits.driver is not None and traits.driver.is_by_time:
        return True  # rows that changed or were removed below the watermark are not looked for
    if traits.upsert is not None and traits.upsert.update_columns is not None:
        return True
    return traits.is_append and len(inputs) > 1 and any(not use.is_driver for use in inputs)
