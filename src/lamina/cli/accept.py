"""`lamina accept`: keep the rows that another writer left in a table.

Job: run, 5
"""

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command


@answer_command("accept", sentence="Keep the rows that another writer left in a model's table, and build on them.")
@click.argument("model")
def command(options: Options, model: str) -> Answer:
    """Record that a foreign write is welcome."""
    name = options.open().accept(model)

    def show(screen: Screen) -> None:
        screen.out.print(f"the table of {name} is accepted as it is")

    return Answer(status="ok", body={"model": name}, show=show)


def document() -> Document:
    """Return what its JSON document has."""
    return {"model": str}
