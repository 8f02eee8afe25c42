"""Which cron expressions a project may write."""

from datetime import UTC, datetime

import pytest

from lamina.project.decode import INVALID, Findings
from lamina.project.model import SettingPlaces
from lamina.project.schedule import CADENCES, cron
from lamina.values.cron import next_tick

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("expression", ["", "a b c d e", "0 0 30 2 *", "* * * * * *", "@often", "61 * * * *"])
def test_unreadable_or_impossible_expressions_are_no_cron(expression: str) -> None:
    findings = Findings(SettingPlaces(file="a.toml"))
    assert cron(expression, "cron", findings) is INVALID
    assert [item.code for item in findings.found] == ["L122"]


@pytest.mark.parametrize("expression", [*CADENCES, "*/5 * * * *", "0 6 * * MON-FRI", "0 0 29 2 *"])
def test_readable_expressions_are_cron_and_tick(expression: str) -> None:
    findings = Findings(SettingPlaces(file="a.toml"))
    assert cron(expression, "cron", findings) == expression
    assert findings.found == []
    assert next_tick(expression, "UTC", NOW) is not None
