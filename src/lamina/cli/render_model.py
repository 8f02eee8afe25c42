"""`lamina render`: print the SQL of a model as it would run.

Job: understand, 4
"""

import click

from lamina.cli.answer import Answer, Document, Options, Screen, always, answer_command


@answer_command(
    "render", sentence="Print the query of a model with its tables and parameters filled in.", is_text=always
)
@click.argument("model")
@click.option("--partition", metavar="KEY", help="The partition to render for; default: the model's first")
def command(options: Options, model: str, partition: str | None) -> Answer:
    """Render one model."""
    rendered = options.open().render(model, partition=partition)

    def show(screen: Screen) -> None:
        screen.out.print(rendered.sql)

    body = {"model": rendered.model, "sql": rendered.sql, "parameters": rendered.parameters}
    return Answer(status="ok", body=body, show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.planner.preview import Rendered

    return Rendered
