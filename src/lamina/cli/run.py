"""`lamina run`: build what new data or new code made stale, and only that.

Job: run, 3
"""

from typing import Any

import click

from lamina.cli.answer import Answer, Document, Options, answer_command
from lamina.cli.asking import asking_options


@answer_command("run", sentence="Build what new data or new code made stale, and only that.")
@asking_options
@click.option("--parallel", type=click.IntRange(min=1), metavar="N", help="Build N models at once")
@click.option("--fail-fast", is_flag=True, help="Start nothing new after the first failure")
@click.option("--yes", is_flag=True, help="Rebuild also more slices than `run.rebuild_limit`")
def command(options: Options, **flags: Any) -> Answer:
    """Plan and apply."""
    from lamina.cli.live import run_shown

    return run_shown(options, lambda project, stop: project.run(stop=stop, **flags))


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import RunResult

    return RunResult
