"""`lamina init`: start a project."""

import os

import click

from lamina.cli.answer import Answer, Options, Screen, answer_command


@answer_command("init", sentence="Start a project from a template in a new or empty folder.")
@click.argument("folder", default=".")
@click.option("--template", default="quickstart", show_default=True, help="What to start with")
def command(_: Options, folder: str, template: str) -> Answer:
    """Copy the template."""
    from lamina.starter import start_project

    started = start_project(folder, template)

    def show(screen: Screen) -> None:
        screen.out.print(f"started `{started.folder}` from the template `{template}`: {len(started.files)} files")
        inside = os.path.abspath(folder) == os.path.abspath(".")
        steps = ["lamina compile", "lamina run"] if inside else [f"cd {folder}", "lamina compile", "lamina run"]
        if not screen.is_quiet:
            screen.err.print("\nnext: " + " && ".join(f"`{step}`" for step in steps))

    return Answer(
        status="ok", body={"folder": started.folder, "template": started.template, "files": started.files}, show=show
    )
