"""What a source's files were when they were last looked at: as long as they are the same, no list of them is read."""

from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values import codec
from lamina.values.names import Position
from lamina.values.value import Value
from lamina.warehouse.files.manifest import write_whole
from lamina.warehouse.settings import WarehouseSettings


class LastLook(Value, frozen=True):
    """The position that was found, and the hash of all that was listed for it, with ctimes."""

    position: Position
    listing: str = ""  # empty: looked at before ctimes were kept


def load_last_look(settings: WarehouseSettings, source: SourceTable) -> LastLook | None:
    """Return the last look at a source, if there was one."""
    path = _path(settings, source)
    if not path.is_file():
        return None
    text = path.read_text()
    # The form before this one was the bare position.
    return codec.from_json(text, LastLook) if text.startswith("{") else LastLook(position=Position(text))


def keep_last_look(settings: WarehouseSettings, source: SourceTable, look: LastLook) -> None:
    """Remember a look at a source."""
    write_whole(_path(settings, source), codec.to_json(look))


def _path(settings: WarehouseSettings, source: SourceTable) -> Path:
    return Path(settings.warehouse, "_lamina", "sources", f"{source.name}.newest")
