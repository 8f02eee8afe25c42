"""`lamina drop`: remove the table of a model, and what is recorded about it.

Job: operate, 1
"""

import sys
from typing import TYPE_CHECKING

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command

if TYPE_CHECKING:
    from lamina.values.result import DropResult


@answer_command("drop", sentence="Drop the table or view of a model, its files and its record. Asks first.")
@click.argument("model")
@click.option("--yes", is_flag=True, help="Do not ask")
@click.option("--force", is_flag=True, help="Drop it even if other models read it")
def command(options: Options, model: str, *, yes: bool, force: bool) -> Answer:
    """Ask, then drop."""
    from lamina.values.codec import to_builtins

    agrees = _agree if yes else _ask
    result = options.open().drop(model, agrees=agrees, force=force)

    def show(screen: Screen) -> None:
        screen.out.print(f"dropped {result.table}: {result.loss}")

    return Answer(status="ok", body=to_builtins(result), show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import DropResult

    return DropResult


def _agree(_: "DropResult") -> bool:
    return True


def _ask(found: "DropResult") -> bool:
    """Ask at a terminal; without a terminal the answer is no."""
    if not sys.stdin.isatty():
        return False
    size = f" ({found.files} files, {found.bytes:,} bytes)" if found.bytes is not None else ""
    readers = f"\nit is read by {', '.join(found.readers)}" if found.readers else ""
    return click.confirm(f"drop table {found.table}{size}: {found.loss}{readers}\ndrop it?", err=True)
