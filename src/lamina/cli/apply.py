"""`lamina apply`: do what a kept plan lists, or refuse."""

from functools import partial

import click

from lamina.cli.answer import Answer, Options, answer_command


@answer_command("apply", sentence="Do what a plan lists, or refuse it and say what changed since it was made.")
@click.argument("plan_id")
@click.option("--parallel", type=click.IntRange(min=1), metavar="N", help="Build N models at once")
@click.option("--fail-fast", is_flag=True, help="Start nothing new after the first failure")
def command(options: Options, plan_id: str, parallel: int | None, **flags: bool) -> Answer:
    """Apply a kept plan."""
    from lamina.api.run import Ask, apply_plan
    from lamina.cli.live import run_shown

    ask = Ask(parallel=parallel, is_fail_fast=flags["fail_fast"])
    return run_shown(options, partial(apply_plan, options.root, options.variables, plan_id, ask))
