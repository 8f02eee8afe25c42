"""Every command, found by its file in this folder, which is imported only when the command is called.

The docstring of the file has its name and its sentence, and under which job the help lists it, and where.
"""

import os
from functools import cache
from typing import NamedTuple

JOBS = ("start", "understand", "run", "trust", "operate", "look back")
START = '"""`lamina '


class Command(NamedTuple):
    """What the help says of a command, and which module holds it."""

    name: str
    sentence: str
    job: str
    number: int  # its place within the job
    module: str


@cache
def commands() -> dict[str, Command]:
    """Return all commands by name, in the order of the help."""
    folder = os.path.dirname(os.path.abspath(__file__))
    found = [item for file in os.listdir(folder) if (item := _command(folder, file)) is not None]
    return {item.name: item for item in sorted(found, key=lambda item: (JOBS.index(item.job), item.number, item.name))}


def module_of(command: str) -> str:
    """Return the module that holds a command."""
    return commands()[command].module


def split_command(words: list[str]) -> tuple[str, list[str]]:
    """Return the command that words begin with, which may be two of them, and the rest.

    >>> split_command(["state", "check", "--quiet"])
    ('state check', ['--quiet'])
    """
    both = " ".join(words[:2])
    return (both, words[2:]) if both in commands() else (words[0], words[1:])


def names() -> list[str]:
    """Return all commands, sorted."""
    return sorted(commands())


def _command(folder: str, file: str) -> Command | None:
    if not file.endswith(".py"):
        return None
    with open(os.path.join(folder, file), encoding="utf-8") as opened:
        if not (first := opened.readline()).startswith(START):
            return None
        opened.readline()
        job, _, number = opened.readline().removeprefix("Job: ").partition(", ")
    name, _, sentence = first.removeprefix(START).strip().removesuffix(".").partition("`: ")
    return Command(name, sentence[0].upper() + sentence[1:], job, int(number), f"lamina.cli.{file.removesuffix('.py')}")
