"""The flags that say what to plan or run."""

from datetime import UTC, datetime
from typing import Any, cast

import click
import pytest
from click.testing import CliRunner

from lamina.api.asking import Ask, PlanFlags, plan_ask, time_of
from lamina.cli.asking import asking_options
from lamina.errors import UsageError
from lamina.values.plan import Selection


def asked(*arguments: str) -> Ask:
    """Return what a command with these flags asks for."""
    found: list[Ask] = []

    @click.command()
    @asking_options
    def command(**flags: Any) -> None:
        found.append(plan_ask(cast(PlanFlags, flags)))

    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return found[0]


def test_no_flag_asks_for_everything_stale() -> None:
    assert asked() == Ask()


@pytest.mark.parametrize(
    ("arguments", "slices"),
    [
        (["--partition", "2026-04-07"], Selection(partition="2026-04-07")),
        (["--from", "2026-04-01", "--to", "2026-04-03"], Selection(from_key="2026-04-01", to_key="2026-04-03")),
        (["--from", "2026-04-01"], Selection(from_key="2026-04-01")),
        (["--to", "2026-04-03"], Selection(to_key="2026-04-03")),
        (["--latest"], Selection(is_latest=True)),
        (["--missing"], Selection(is_missing=True)),
        (["--lookback", "3", "--ignore-cron"], Selection(lookback=3, ignore_cron=True)),
        (["--force"], Selection(is_forced=True)),
        (["--full-refresh"], Selection(is_full_refresh=True)),
        (["--full-refresh", "--accept-loss"], Selection(is_full_refresh=True, is_loss_accepted=True)),
        (["--accept-empty"], Selection(is_empty_accepted=True)),
    ],
)
def test_flags_name_slices(arguments: list[str], slices: Selection) -> None:
    assert asked(*arguments).slices == slices


def test_selectors_may_be_repeated() -> None:
    ask = asked("-s", "a", "--select", "b+", "--exclude", "c", "--no-auto-upstream")
    assert (ask.include, ask.exclude, ask.has_upstreams) == (("a", "b+"), ("c",), False)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--partition", "1", "--latest"], "`--partition` and `--latest`"),
        (["--from", "1", "--missing"], "`--from` and `--missing`"),
        (["--to", "1", "--partition", "1"], "`--partition` and `--to`"),
    ],
)
def test_contradicting_flags_are_refused(arguments: list[str], names: str) -> None:
    with pytest.raises(UsageError, match=f"{names} cannot be used together"):
        asked(*arguments)


def test_a_loss_is_accepted_of_a_full_refresh_only() -> None:
    with pytest.raises(UsageError, match="`--accept-loss` needs `--full-refresh`"):
        asked("--accept-loss")


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-04-07", datetime(2026, 4, 7, tzinfo=UTC)),
        ("2026-04-07T06:00:00", datetime(2026, 4, 7, 6, tzinfo=UTC)),
        ("2026-04-07T06:00:00+02:00", datetime(2026, 4, 7, 4, tzinfo=UTC)),
    ],
)
def test_a_time_without_a_zone_is_in_utc(text: str, time: datetime) -> None:
    assert time_of(text) == time
    assert asked("--execution-time", text).execution_time == time


def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(UsageError, match="`yesterday` is not a time"):
        time_of("yesterday")
    assert time_of(None) is None
