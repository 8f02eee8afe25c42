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
MOST_PLACES = 10
SEVERITIES = ("error", "warning", "info")
LONGEST_LINE = 160


def show_diagnostics(screen: Screen, found: tuple[Diagnostic, ...]) -> None:
    """Print findings to stderr, the first hundred in full; many notes are only counted, a quiet screen has none."""
    notes = sum(1 for item in found if item.severity == "info")
    is_folded = notes > MOST_NOTES or screen.is_quiet
    diagnostics = tuple(item for item in found if item.severity != "info") if is_folded else found
    if is_folded and notes and not screen.is_quiet:
        screen.err.print(f"{notes} notes; `--output json` lists them\n")
    groups = folded(in_reading_order(diagnostics))
    for group in groups[:MOST_SHOWN]:
        screen.err.print(_finding(group, root=screen.root))
    left = sum(len(group) for group in groups[MOST_SHOWN:])
    if left:
        screen.err.print(f"... and {left} more; `--output json` lists all\n")


def in_reading_order(found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Put causes before what may only follow from them: unreadable files, then unknown names, then the rest."""
    return tuple(sorted(found, key=lambda item: (SEVERITIES.index(item.severity), _rank(item.code))))


def folded(found: tuple[Diagnostic, ...]) -> list[tuple[Diagnostic, ...]]:
    """Put findings that say the same of different places together, where the first of them is."""
    groups: dict[tuple[str, str, str | None], list[Diagnostic]] = {}
    for item in found:
        groups.setdefault((item.code, item.message, item.hint), []).append(item)
    return [tuple(group) for group in groups.values()]


def _rank(code: str) -> int:
    """Rank codes by how much may depend on them: L1 is the project's files, L20 its names and syntax."""
    return 0 if code.startswith("L1") else 1 if code.startswith("L20") else 2


def counts(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return how many findings there are, in words."""
    words = []
    for severity in ("error", "warning"):
        count = sum(1 for item in diagnostics if item.severity == severity)
        if count:
            words.append(counted(count, severity))
    return ", ".join(words) or "no problems"


def _finding(group: tuple[Diagnostic, ...], *, root: str) -> "Text":
    from rich.text import Text

    item, *others = group
    text = Text()
    text.append(f"{item.severity}[{item.code}]", style=COLOURS[item.severity])
    text.append(f": {_printable(item.message)}\n", style="bold")
    if item.place is not None:
        place = _from_here(root, item.place)
        text.append(f" --> {place if item.line is not None else place.file}\n", style="blue")
        text.append(_excerpt(root, item.place) if item.line is not None else "")
    places = [other.place for other in others if other.place is not None]
    if places:
        text.append(f"and in {counted(len(places), 'more place')}:\n")
        text.append("".join(f" --> {_from_here(root, place)}\n" for place in places[:MOST_PLACES]), style="blue")
    if len(places) > MOST_PLACES:
        text.append(f" ... and {len(places) - MOST_PLACES} more\n")
    if item.hint:
        text.append("\nhint", style="bold cyan")
        text.append(f": {_printable(item.hint)}\n")
    return text


def _from_here(root: str, place: Place) -> Place:
    """Return a place with its path as it can be opened from a subfolder of the project, if that is where we are."""
    here = os.path.relpath(os.getcwd(), root)
    if here == "." or here.startswith("..") or not os.path.exists(os.path.join(root, place.file)):
        return place
    return place.replace(file=os.path.relpath(os.path.join(root, place.file)))


def _excerpt(root: str, place: Place) -> str:
    """Return the line of a place with a caret below it; nothing where the file cannot or must not be shown."""
    path = os.path.realpath(os.path.join(root, place.file))
    if not path.startswith(os.path.realpath(root) + os.sep) or not os.path.isfile(path):
        return ""  # a link that leaves the project, or a pipe that would be waited for
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            line = next((line for number, line in enumerate(file, start=1) if number == place.line), "").rstrip()
    except OSError:
        return ""
    if not line.strip() or place.column > len(line) + 1 or place.column > LONGEST_LINE:
        return ""
    readable = line[:LONGEST_LINE].replace("\t", " ")
    shown = _printable(readable)
    margin = " " * len(str(place.line))
    return f" {margin} |\n {place.line} | {shown}\n {margin} | {' ' * (place.column - 1)}^\n"


def _printable(text: str) -> str:
    """Return a text without characters that control a terminal; some of them reverse the text that follows."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "\ufffd" for letter in text)
