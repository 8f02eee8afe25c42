"""`lamina run`: find what is stale, build it, say what was done."""

from functools import partial
from typing import Any

import click

from lamina.cli.answer import Answer, Options, answer_command
from lamina.cli.asking import ask_of, asking_options


@answer_command("run", sentence="Build what new data or new code made stale, and only that.")
@asking_options
@click.option("--parallel", type=click.IntRange(min=1), metavar="N", help="Build N models at once")
@click.option("--fail-fast", is_flag=True, help="Start nothing new after the first failure")
@click.option("--yes", is_flag=True, help="Rebuild also more slices than `run.rebuild_limit`")
def command(options: Options, parallel: int | None, **flags: Any) -> Answer:
    """Plan and apply."""
    from lamina.api.run import run_project
    from lamina.cli.live import run_shown

    ask = ask_of(flags).replace(parallel=parallel, is_fail_fast=flags["fail_fast"], is_confirmed=flags["yes"])
    return run_shown(options, partial(run_project, options.root, options.variables, ask))
