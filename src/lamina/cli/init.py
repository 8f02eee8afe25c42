"""`lamina init`: start a project from a template.

Job: start, 1
"""

import os
import shlex

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.values.codec import to_builtins
from lamina.values.words import counted


@answer_command("init", sentence="Start a project from a template in a new or empty folder.")
@click.argument("folder", default=".")
@click.option(
    "--template",
    default="quickstart",
    show_default=True,
    help="`quickstart`: a small shop with sample data; `empty`: no models",
)
def command(_: Options, folder: str, template: str) -> Answer:
    """Copy the template."""
    from lamina.api.starter import start_project

    started = start_project(folder, template)

    def show(screen: Screen) -> None:
        count = counted(len(started.files), "file")
        screen.out.print(f"started project `{started.project}` in `{folder}` from the template `{template}`: {count}")
        if not screen.is_quiet:
            screen.err.print(f"\nnext: {next_step(folder, template)}")

    return Answer(status="ok", body=to_builtins(started), show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.api.starter import StartedProject

    return StartedProject


def next_step(folder: str, template: str) -> str:
    """Say what to do in a new project, as a line that can be pasted into a shell."""
    inside = os.path.abspath(folder) == os.path.abspath(".")
    if template == "empty":
        where = "" if inside else f"cd {shlex.quote(folder)}, "
        return f"{where}write a query in `models/SCHEMA/NAME.sql`, then `lamina compile`"
    steps = ["lamina compile", "lamina run"]
    return " && ".join(steps if inside else [f"cd {shlex.quote(folder)}", *steps])
