"""`lamina list`: list models by name, tag, path, source or graph.

Job: understand, 2
"""

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.cli.selection import selection_options


@answer_command("list", sentence="List models in the order they are built.")
@selection_options
def command(options: Options, select: tuple[str, ...], exclude: tuple[str, ...]) -> Answer:
    """Select and list."""
    models = options.open().list(select, exclude=exclude)

    def show(screen: Screen) -> None:
        from lamina.cli.ledger import Ledger

        table = Ledger("model", "strategy", "layer", "tags", "description", labelled=("layer",))
        for model in models:
            words = model.fault or model.description or ""
            table.add(model.model, model.strategy, str(model.layer), ", ".join(model.tags), words)
        screen.out.print(table)

    return Answer(status="ok", body={"models": models}, show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.compiler.report import ListedModel

    return {"models": tuple[ListedModel, ...]}
