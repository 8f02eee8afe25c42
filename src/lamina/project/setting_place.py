"""Where a setting of a model is written, looked for when it is requested: in its sidecar, or a folder's defaults."""

from collections.abc import Iterator
from pathlib import Path

from lamina.project.model import SettingPlaces
from lamina.project.read import DEFAULTS_FILE
from lamina.values.diagnostic import Place


def setting_place(root: str, model_path: str, key: str) -> Place | None:
    """Return the place of a key such as `checks.0` of a model; None where no file of the project has it."""
    for file in _settings_files(model_path):
        try:
            text = (Path(root) / file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        places = SettingPlaces(file=file, text=text)
        if places.has(key):
            return places.of(key)
    return None


def _settings_files(model_path: str) -> Iterator[str]:
    """Yield the files a model may have its settings from, the nearest first."""
    yield model_path.rpartition(".")[0] + ".toml"
    folder = model_path.rpartition("/")[0]
    while folder.startswith("models"):
        yield f"{folder}/{DEFAULTS_FILE}"
        folder = folder.rpartition("/")[0]
