"""Diagnostics for people: what is wrong, where, the line itself, what to do."""

import os
from typing import TYPE_CHECKING

from lamina.cli.answer import Screen
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.words import counted

if TYPE_CHECKING:
    from rich.text import Text

COLOURS = {"error": "bold red", "warning": "bold yellow", "info": "bold cyan"}
MOST_SHOWN = 100
MOST_NOTES = 10
LONGEST_LINE = 160


def show_diagnostics(screen: Screen, found: tuple[Diagnostic, ...]) -> None:
    """Print findings to stderr, the first hundred in full; many notes are only counted, a quiet screen has none."""
    notes = sum(1 for item in found if item.severity == "info")
    is_folded = notes > MOST_NOTES or screen.is_quiet
    diagnostics = tuple(item for item in found if item.severity != "info") if is_folded else found
    if is_folded and notes and not screen.is_quiet:
        screen.err.print(f"{notes} notes; `--output json` lists them\n")
    for item in diagnostics[:MOST_SHOWN]:
        screen.err.print(_finding(item, root=screen.root))
    if len(diagnostics) > MOST_SHOWN:
        screen.err.print(f"... and {len(diagnostics) - MOST_SHOWN} more; `--output json` lists all\n")


def counts(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return how many findings there are, in words."""
    words = []
    for severity in ("error", "warning"):
        count = sum(1 for item in diagnostics if item.severity == severity)
        if count:
            words.append(counted(count, severity))
    return ", ".join(words) or "no problems"


def _finding(item: Diagnostic, *, root: str) -> "Text":
    from rich.text import Text

    text = Text()
    text.append(f"{item.severity}[{item.code}]", style=COLOURS[item.severity])
    text.append(f": {item.message}\n", style="bold")
    if item.place is not None:
        text.append(f" --> {item.place}\n", style="blue")
        text.append(_excerpt(root, item.place))
    if item.hint:
        text.append("\nhint", style="bold cyan")
        text.append(f": {item.hint}\n")
    return text


def _excerpt(root: str, place: Place) -> str:
    """Return the line of a place with a caret below it; nothing where the file cannot be shown."""
    try:
        with open(os.path.join(root, place.file), encoding="utf-8", errors="replace") as file:
            line = next((line for number, line in enumerate(file, start=1) if number == place.line), "").rstrip()
    except OSError:
        return ""
    if not line.strip() or place.column > len(line) + 1 or place.column > LONGEST_LINE:
        return ""
    shown = line[:LONGEST_LINE].replace("\t", " ").replace("\0", " ")
    margin = " " * len(str(place.line))
    return f" {margin} |\n {place.line} | {shown}\n {margin} | {' ' * (place.column - 1)}^\n"
