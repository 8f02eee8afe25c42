"""`lamina retry`: try again what failed for good."""

from contextlib import ExitStack

import click

from lamina.cli.answer import Answer, Options, answer_command


@answer_command("retry", sentence="Forget that models failed, and run them again with what they read.")
@click.argument("models", nargs=-1, required=True)
def command(options: Options, models: tuple[str, ...]) -> Answer:
    """Clear and run."""
    from lamina.cli.live import interruptible, shown
    from lamina.cli.run_answer import run_answer
    from lamina.operate import retry_models

    with ExitStack() as stack:
        emit = stack.enter_context(shown(options))
        result = retry_models(
            options.root,
            options.variables,
            models,
            emit=emit,
            ready=lambda engine: stack.enter_context(interruptible(engine)),
        )
    return run_answer(result)
