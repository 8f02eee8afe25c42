"""`lamina retry`: try failed models again.

Job: run, 4
"""

import click

from lamina.cli.answer import Answer, Document, Options, answer_command


@answer_command("retry", sentence="Forget that models failed, and run them again with what they read.")
@click.argument("models", nargs=-1, required=True)
def command(options: Options, models: tuple[str, ...]) -> Answer:
    """Clear and run."""
    from lamina.cli.live import run_shown

    return run_shown(options, lambda project, stop: project.retry(*models, stop=stop))


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import RunResult

    return RunResult
