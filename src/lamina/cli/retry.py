"""`lamina retry`: try again what failed permanently."""

import click

from lamina.cli.answer import Answer, Options, answer_command


@answer_command("retry", sentence="Forget that models failed, and run them again with what they read.")
@click.argument("models", nargs=-1, required=True)
def command(options: Options, models: tuple[str, ...]) -> Answer:
    """Clear and run."""
    from lamina.cli.live import run_shown

    return run_shown(options, lambda project, stop: project.retry(*models, stop=stop))
