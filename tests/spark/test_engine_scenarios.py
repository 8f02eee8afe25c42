"""Whole projects on real Spark and Iceberg, driven by the command line: `tests/scenarios/cases`, one file each."""

from pathlib import Path

import pytest
from tests.scenarios.play import Player, Scenario, scenarios

from lamina.warehouse.spark.session import Application

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.name)
def test_scenario(
    scenario: Scenario, application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Player(tmp_path, application, monkeypatch).play(scenario)
