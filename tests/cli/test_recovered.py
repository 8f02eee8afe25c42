"""A state that was lost and restored is mentioned by whatever command finds it, on stderr."""

from pathlib import Path

import pytest
from tests.api.marked_shop import Shop

from lamina.cli.app import run_command

RECOVERED = "recovered: the state file is restored (it is missing): the tables are registered by their marks"


@pytest.mark.parametrize("command", ["plan", "history", "state check"])
def test_a_command_says_that_it_restored_the_state(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = Shop(tmp_path)
    shop.seal(shop.stage(1), 1)
    assert run_command(command, ["--project-dir", str(tmp_path), "--output", "text"]) == 0
    assert RECOVERED in capsys.readouterr().err
    assert run_command(command, ["--project-dir", str(tmp_path), "--output", "text"]) == 0
    assert "recovered" not in capsys.readouterr().err


def test_a_quiet_command_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shop = Shop(tmp_path)
    shop.seal(shop.stage(1), 1)
    assert run_command("plan", ["--project-dir", str(tmp_path), "--quiet", "--output", "text"]) == 0
    assert "recovered" not in capsys.readouterr().err
