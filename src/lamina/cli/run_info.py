"""`lamina run-info`: show what an earlier run did.

Job: look back, 2
"""

import click

from lamina.cli.answer import Answer, Document, Options, answer_command


@answer_command("run-info", sentence="Show what an earlier run did; `latest` is the last one.")
@click.argument("run_id")
def command(options: Options, run_id: str) -> Answer:
    """Show the run's own document again."""
    from lamina.cli.run_answer import run_answer

    answer = run_answer(options.open().run_info(run_id))
    return Answer(status=answer.status, body=answer.body, show=answer.show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import RunResult

    return RunResult
