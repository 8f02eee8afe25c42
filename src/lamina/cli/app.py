"""The `lamina` command: find the command that is requested, run it, and end with its exit code."""

import sys

from lamina.cli.commands import JOBS, commands, module_of, names, split_command
from lamina.version import VERSION

WRONG_USAGE = 64
INTERRUPTED = 130
COMMON = ("--project-dir", "--output", "--quiet", "-q")


def main() -> int:
    """Run the command line and return the exit code; version and help answer before anything is imported."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"lamina {VERSION}\n")
        return 0
    if not arguments or arguments[0] in ("--help", "-h", "help"):
        sys.stdout.write(help_text())
        return 0 if arguments else WRONG_USAGE
    return _run(arguments)


def help_text() -> str:
    """Return the list of commands by job."""
    width = max(len(name) for name in names()) + 2
    lines = ["Incremental data pipelines on Spark that rebuild exactly what changed, and can prove it", ""]
    lines += ["Usage: lamina COMMAND [OPTIONS]", ""]
    for job in JOBS:
        listed = [f"  {item.name:<{width}}{item.sentence}" for item in commands().values() if item.job == job]
        lines += [job.capitalize(), *listed, ""]
    lines += ["`lamina COMMAND --help` lists the options of a command; `lamina --version` prints the version"]
    return "\n".join(lines) + "\n"


def _run(arguments: list[str]) -> int:
    import click

    from lamina.values.nearest import nearest

    name, rest = split_command(_command_first(arguments))
    try:
        if name.startswith("-"):
            raise click.UsageError(f"no option `{name}` before the command")
        if name not in names():
            near = nearest(name, names())
            raise click.UsageError(f"no command `{name}`" + (f"\n\nhint: did you mean `{near}`?" if near else ""))
        return run_command(name, rest)
    except click.ClickException as error:
        sys.stderr.write(f"error: {error.format_message()}\n")
        return WRONG_USAGE
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED


def _command_first(arguments: list[str]) -> list[str]:
    """Move common options that are before the command behind it, where they are read."""
    before: list[str] = []
    rest = arguments
    while rest and rest[0].partition("=")[0] in COMMON:
        count = 1 if rest[0] in ("--quiet", "-q") or "=" in rest[0] else 2
        before, rest = before + rest[:count], rest[count:]
    return [rest[0], *before, *rest[1:]] if rest else arguments


def run_command(name: str, arguments: list[str]) -> int:
    """Import the module of one command and run it."""
    from importlib import import_module

    import click

    command: click.Command = import_module(module_of(name)).command
    result = command.main(arguments, prog_name=f"lamina {name}", standalone_mode=False)
    return result if isinstance(result, int) else 0
