"""Small files beside the tables, each one value, replaced whole and durably."""

import os
from pathlib import Path

from lamina.values.codec import to_json
from lamina.values.value import Value


def write_note(path: Path, note: Value) -> None:
    """Put a note in the place of the one that was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".new")
    with scratch.open("wb") as file:
        file.write(to_json(note))
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)
