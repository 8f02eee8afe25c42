"""Words of the design whose feature is not built are refused, never accepted and ignored."""

from pathlib import Path

import pytest
from tests.compiler.projects import load_project

from lamina.api.project import open_project
from lamina.api.starter import start_project
from lamina.errors import ProjectInvalid


@pytest.mark.parametrize("word", ["version", "files", "watermark"])
def test_a_detector_that_cannot_be_chosen_is_refused(tmp_path: Path, word: str) -> None:
    start_project(str(tmp_path / "shop"), "quickstart")
    source = tmp_path / "shop" / "sources" / "raw.toml"
    source.write_text(source.read_text().replace('type = "files"', f'type = "files"\ndetect = "{word}"', 1))
    found = load_project(str(tmp_path / "shop"), {}).diagnostics
    assert [item.name for item in found] == ["LaterFeature"]


def test_adaptive_concurrency_is_refused_and_auto_is_the_default(tmp_path: Path) -> None:
    start_project(str(tmp_path / "shop"), "quickstart")
    root = str(tmp_path / "shop")
    assert open_project(root, variables={}).config.run.concurrency == "auto"
    settings = tmp_path / "shop" / "lamina.toml"
    settings.write_text(f'{settings.read_text()}\n[run]\nconcurrency = "adaptive"\n')
    with pytest.raises(ProjectInvalid):
        assert open_project(root, variables={}).config
