"""`lamina lineage`: follow columns up to their origins or down to their readers.

Job: understand, 5
"""

from collections.abc import Mapping
from typing import Any

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.cli.drawing import as_dot, as_mermaid, as_tree


def _is_drawing(parameters: Mapping[str, Any]) -> bool:
    """Say whether a drawing is requested, which another program draws."""
    return str(parameters["form"]) != "text"


@answer_command(
    "lineage",
    sentence="Follow a model, or a column written model.column, to its origins and its readers.",
    is_text=_is_drawing,
)
@click.argument("target", metavar="MODEL[.COLUMN]")
@click.option("--up", "direction", flag_value="up", help="Only what it is made of")
@click.option("--down", "direction", flag_value="down", help="Only what is made of it")
@click.option("--format", "form", type=click.Choice(["text", "dot", "mermaid"]), default="text", show_default=True)
def command(options: Options, target: str, direction: str | None, form: str) -> Answer:
    """Trace one point of the graph."""
    lineage = options.open().lineage(target)
    up = lineage.up if direction != "down" else None
    down = lineage.down if direction != "up" else None
    flows = tuple({flow: None for side in (up, down) if side is not None for flow in side.flows})

    def show(screen: Screen) -> None:
        if form == "dot":
            screen.out.print(as_dot(flows), end="")
        elif form == "mermaid":
            screen.out.print(as_mermaid(flows), end="")
        else:
            screen.out.print(as_tree(lineage.of, up=up, down=down), end="")

    body = {
        "of": lineage.of,
        "upstream": up.reached if up is not None else (),
        "downstream": down.reached if down is not None else (),
    }
    drawing = {"dot": as_dot, "mermaid": as_mermaid}.get(form)
    if drawing is not None:
        body["drawing"] = drawing(flows)
    return Answer(status="ok", body=body, show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.compiler.lineage import Point, Reached

    return {"of": Point, "upstream": tuple[Reached, ...], "downstream": tuple[Reached, ...]}
