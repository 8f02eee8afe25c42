"""`lamina apply`: do what a plan lists, or refuse.

Job: run, 2
"""

import click

from lamina.cli.answer import Answer, Document, Options, answer_command


@answer_command("apply", sentence="Do what a plan lists, or refuse it and say what changed since it was made.")
@click.argument("plan_id")
@click.option("--parallel", type=click.IntRange(min=1), metavar="N", help="Build N models at once")
@click.option("--fail-fast", is_flag=True, help="Start nothing new after the first failure")
def command(options: Options, plan_id: str, parallel: int | None, **flags: bool) -> Answer:
    """Apply a kept plan."""
    from lamina.cli.live import run_shown

    return run_shown(options, lambda project, stop: project.apply(plan_id, parallel=parallel, stop=stop, **flags))


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import RunResult

    return RunResult
