"""The flags that say what to plan or run: which models, which slices, when."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from lamina.cli.selection import selection_options
from lamina.errors import UsageError

if TYPE_CHECKING:
    from lamina.api.run import Ask

# Flags that name slices; at most one of them, and `--from` goes with `--to`.
_SLICE_FLAGS = ("partition", "from_key", "latest", "missing")


def asking_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that `plan` and `run` share."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return selection_options(function)


_OPTIONS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    click.option("--no-auto-upstream", is_flag=True, help="Do not add what the selected models read"),
    click.option("--partition", metavar="KEY", help="Build this slice, such as 2026-04-07, whatever its state"),
    click.option("--from", "from_key", metavar="KEY", help="Build slices from this one on"),
    click.option("--to", "to_key", metavar="KEY", help="Build slices up to this one, itself included"),
    click.option("--latest", is_flag=True, help="Build the newest slice, finished or not"),
    click.option("--missing", is_flag=True, help="Build only due slices that were never built"),
    click.option("--lookback", type=click.IntRange(min=1), help="Build the last N finished slices as well"),
    click.option("--ignore-cron", is_flag=True, help="Take everything up to the execution time as due"),
    click.option("--force", is_flag=True, help="Build due slices even if nothing is stale"),
    click.option(
        "--full-refresh",
        is_flag=True,
        help="Rebuild the selected models from their sources; rows that only a table holds are carried over",
    ),
    click.option("--accept-loss", is_flag=True, help="With `--full-refresh`: drop the rows that only a table holds"),
    click.option(
        "--execution-time", metavar="TIME", help="The time that counts as now, in UTC unless it has an offset"
    ),
)


def ask_of(flags: dict[str, Any]) -> "Ask":
    """Turn flags into what is asked; contradicting ones are refused."""
    from lamina.api.run import Ask
    from lamina.values.plan import Selection

    given = [name for name in _SLICE_FLAGS if flags[name]]
    if flags["to_key"] and "from_key" not in given:
        given.append("to_key")
    if len(given) > 1:
        words = " and ".join(f"`--{name.removesuffix('_key')}`" for name in given[:2])
        raise UsageError(f"{words} cannot be used together", hint="give one of them")
    if flags["accept_loss"] and not flags["full_refresh"]:
        raise UsageError("`--accept-loss` needs `--full-refresh`", hint="no other rebuild drops rows")
    return Ask(
        include=tuple(flags["select"]),
        exclude=tuple(flags["exclude"]),
        has_upstreams=not flags["no_auto_upstream"],
        execution_time=time_of(flags["execution_time"]),
        slices=Selection(
            is_forced=flags["force"],
            is_full_refresh=flags["full_refresh"],
            is_loss_accepted=flags["accept_loss"],
            partition=flags["partition"],
            from_key=flags["from_key"],
            to_key=flags["to_key"],
            is_latest=flags["latest"],
            is_missing=flags["missing"],
            lookback=flags["lookback"],
            ignore_cron=flags["ignore_cron"],
        ),
    )


def time_of(text: str | None) -> datetime | None:
    """Read a time given as a flag; naive means UTC."""
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"`{text}` is not a time", hint="write it like `2026-04-07T06:00:00`") from error
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
