"""The flags that say what to plan or run: which models, which slices, when."""

from collections.abc import Callable
from typing import Any

import click

from lamina.cli.selection import selection_options


def asking_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that `plan` and `run` share."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return selection_options(function)


_OPTIONS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    click.option("--no-auto-upstream", is_flag=True, help="Do not add what the selected models read"),
    click.option("--partition", metavar="KEY", help="Build this slice, such as 2026-04-07, whatever its state"),
    click.option("--from", "from_key", metavar="KEY", help="Build slices from this one onwards"),
    click.option("--to", "to_key", metavar="KEY", help="Build slices up to and including this one"),
    click.option("--latest", is_flag=True, help="Build the newest slice, finished or not"),
    click.option("--missing", is_flag=True, help="Build only due slices that were never built"),
    click.option("--lookback", type=click.IntRange(min=1), help="Build the last N finished slices as well"),
    click.option("--ignore-cron", is_flag=True, help="Treat everything up to the execution time as due"),
    click.option("--force", is_flag=True, help="Build due slices even if nothing is stale"),
    click.option(
        "--full-refresh",
        is_flag=True,
        help="Rebuild the selected models from their sources; rows that only a table holds are carried over",
    ),
    click.option("--accept-loss", is_flag=True, help="With `--full-refresh`: drop the rows that only a table holds"),
    click.option(
        "--accept-empty",
        is_flag=True,
        help="Take sources that held files and list none now as empty, and build their readers so",
    ),
    click.option(
        "--execution-time", metavar="TIME", help="The time that counts as now, in UTC unless it has an offset"
    ),
)
