"""One TOML file: its data with variables filled in, where every key is, and what is wrong with it."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from lamina.project.locate import MAX_DEPTH, is_surely_shallow, locate
from lamina.project.model import SettingPlaces
from lamina.project.rules import (
    deep_nesting,
    duplicate_key,
    invalid_toml,
    malformed_reference,
    unset_variable,
)
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.value import Value

REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
MOST_DUPLICATES = 20
NAMES = re.compile(r"\((?:'[^']*',? ?)+\)")  # Python's tuples of names
QUOTED = re.compile(r"'([^']*)'")
POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class Substituted(str):
    """Text that came from the environment: it may mean a number, and is printed with care."""

    __slots__ = ("written",)

    written: str  # in the file, before its variables were filled in; empty where it is in no file

    def __new__(cls, text: str, written: str = "") -> "Substituted":
        """Make text that remembers how it was written."""
        made = super().__new__(cls, text)
        made.written = written
        return made


class Document(Value, frozen=True):
    """A parsed file; `data` is empty when it could not be parsed."""

    data: dict[str, Any]
    places: SettingPlaces
    diagnostics: tuple[Diagnostic, ...] = ()


def read_toml(path: str, text: str, *, variables: Mapping[str, str]) -> Document:
    """Parse a file and fill in its `${VARIABLE}` references."""
    document = parse_toml(path, text)
    data, places = document.data, document.places
    if "${" not in text:
        return document
    problems = list(document.diagnostics)
    filled = {
        key: _fill(value, key, places=places, variables=variables, problems=problems) for key, value in data.items()
    }
    return Document(data=filled, places=places, diagnostics=tuple(problems))


def parse_toml(path: str, text: str) -> Document:
    """Parse a file and leave its texts as they are."""
    text = text.replace("\r\n", "\n")
    places = SettingPlaces(file=path, text=text)
    if not is_surely_shallow(text) and (deep := locate(text).too_deep) is not None:
        line, column = deep
        found = deep_nesting.finding(Place(file=path, line=line, column=column), limit=MAX_DEPTH)
        return Document(data={}, places=places, diagnostics=(found,))
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return Document(data={}, places=places, diagnostics=_syntax_problems(path, text, error))
    return Document(data=data, places=places)


def _syntax_problems(path: str, text: str, error: Exception) -> tuple[Diagnostic, ...]:
    """Say which keys are double where that is the reason, else what the parser said."""
    location = locate(text)
    if location.duplicates and str(error).startswith(("Cannot", "Duplicate")):
        return tuple(
            duplicate_key.finding(key, place=Place(file=path, line=line, column=column), first_line=first)
            for key, line, column, first in location.duplicates[:MOST_DUPLICATES]
        )
    reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "a number is too long"
    position = POSITION.search(reason)
    if position is None:
        return (invalid_toml.finding(Place(file=path), reason=_sentence(reason)),)
    if position[1]:
        line, column = int(position[1]), int(position[2])
    else:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    place = Place(file=path, line=line, column=column)
    return (invalid_toml.finding(place, reason=_sentence(reason[: position.start()])),)


def _sentence(reason: str) -> str:
    """Return what the parser says, with names as they are written in a file.

    >>> _sentence("Cannot declare ('run', 'conf') twice")
    'cannot declare `run.conf` twice'
    """
    named = NAMES.sub(lambda found: f"`{'.'.join(QUOTED.findall(found[0]))}`", reason)
    return named[:1].lower() + named[1:200]


def _fill(
    value: Any, key: str, *, places: SettingPlaces, variables: Mapping[str, str], problems: list[Diagnostic]
) -> Any:
    """Return a value with the references in its text replaced; nesting is bounded before parsing."""
    match value:
        case str() if "${" in value:
            return _fill_text(value, places.of(key), variables=variables, problems=problems)
        case dict():
            return {
                name: _fill(item, f"{key}.{name}", places=places, variables=variables, problems=problems)
                for name, item in value.items()
            }
        case list():
            return [
                _fill(item, f"{key}.{index}", places=places, variables=variables, problems=problems)
                for index, item in enumerate(value)
            ]
        case _:
            return value


def _fill_text(text: str, place: Place, *, variables: Mapping[str, str], problems: list[Diagnostic]) -> str:
    def replace(reference: re.Match[str]) -> str:
        name, default = reference[1], reference[2]
        value = variables.get(name, default)
        if value is None:
            problems.append(unset_variable.finding(name, place=place))
        return value or ""

    rest = REFERENCE.sub("", text)
    if "${" in rest:
        problems.append(malformed_reference.finding(rest[rest.index("${") :][:40], place=place))
    return Substituted(REFERENCE.sub(replace, text), text)
