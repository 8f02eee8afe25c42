"""How CSV files are read: RFC 4180, as seeds are, unless the source's options say otherwise.

Spark reads a value that holds a newline only with `multiLine`, and then a file is one task and its line ends must all
be alike. So a file is read like that only if it holds such a value: others are still split.
"""

import csv
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO

from lamina.project.source import SourceTable
from lamina.values.names import folded
from lamina.values.schema import Schema
from lamina.warehouse.failure import SourceUnreadable
from lamina.warehouse.files.file_format import FileLayout
from lamina.warehouse.plain_sentence import system_words

# Options by which a source says itself how its values are written.
_OWN_READING = {"multiline", "quote", "escape", "encoding", "charset", "linesep", "comment"}
_AT_ONCE = 2**20


def by_layout(source: SourceTable, declared: Schema, paths: Iterable[Path]) -> dict[FileLayout, list[Path]]:
    """Return files by how they are read, in order; `declared` are the columns to be found inside of them."""
    groups: dict[FileLayout, list[Path]] = {}
    for path in paths:
        groups.setdefault(_layout(source, declared, path), []).append(path)
    return groups


def _layout(source: SourceTable, declared: Schema, path: Path) -> FileLayout:
    try:
        first = _first_record(source, path)
        columns = _present(declared, first, has_header=_has_header(source))
        if columns < len(declared) and not _has_header(source):
            _require_even(source, path, len(first))
        return FileLayout(columns, _is_newline_in_value(source, path))
    except OSError as error:
        raise SourceUnreadable(source.name, str(path), system_words(error)) from error


def _has_header(source: SourceTable) -> bool:
    return _option(source, "header", "true").lower() == "true"


def _option(source: SourceTable, name: str, default: str) -> str:
    return next((value for key, value in source.options.items() if key.lower() == name), default)


def separator_of(source: SourceTable) -> str:
    """Return what is between the values of a source."""
    return _option(source, "sep", _option(source, "delimiter", ","))


def _first_record(source: SourceTable, path: Path) -> list[str]:
    if not is_plain(source):
        return []
    with opened(path) as file:
        return next((row for row in csv.reader(file, delimiter=separator_of(source)) if row), [])


def opened(path: Path) -> IO[str]:
    """Open a file as text, its line ends as they are."""
    return path.open(encoding="utf-8-sig", errors="replace", newline="")


def is_plain(source: SourceTable) -> bool:
    """Return whether a source leaves to us how values are quoted and encoded."""
    return not {key.lower() for key in source.options} & _OWN_READING and len(separator_of(source)) == 1


def _present(declared: Schema, record: list[str], *, has_header: bool) -> int:
    """Return how many declared columns a file has: all, or fewer if it is older than the last of them."""
    if not 0 < len(record) < len(declared):
        return len(declared)
    names = [folded(column.name) for column in declared[: len(record)]]
    is_older = not has_header or [folded(name.strip()) for name in record] == names
    return len(record) if is_older else len(declared)


def _require_even(source: SourceTable, path: Path, count: int) -> None:
    """Raise unless all records of a file without a header are as short as its first: else it is not an older file."""
    with opened(path) as file:
        records = csv.reader(file, delimiter=separator_of(source))
        for record in records:
            if record and len(record) != count:
                detail = f"line {records.line_num:,} has {len(record)} values, the first line {count}"
                raise SourceUnreadable(source.name, str(path), detail)


def _is_newline_in_value(source: SourceTable, path: Path) -> bool:
    if not is_plain(source):
        return False
    found = path.stat()
    has_newlines, is_closed = _quoting(path, separator_of(source), found.st_mtime_ns, found.st_ctime_ns)
    if not is_closed:
        # Spark would take all rows from the open quote to the end of the file for one value.
        raise SourceUnreadable(source.name, str(path), "a quoted value is never closed")
    return has_newlines


@lru_cache(maxsize=65_536)
def _quoting(path: Path, separator: str, _modified_ns: int, _changed_ns: int) -> tuple[bool, bool]:
    """Return whether a value of a file holds a newline, and whether its last one is closed."""
    if not _has_quotes(path):
        return False, True
    record: list[str] = []
    last: list[str] = []
    has_newlines = False
    with opened(path) as file:
        try:
            for _ in csv.reader(_noted(file, record), delimiter=separator):
                has_newlines = has_newlines or len(record) > 1
                last = [*record]
                record.clear()
        except csv.Error:  # a value longer than Python reads
            return True, True
    return has_newlines, len(last) < 2 or _is_closed(last, separator)


def _has_quotes(path: Path) -> bool:
    with path.open("rb") as file:
        return any(b'"' in chunk for chunk in iter(lambda: file.read(_AT_ONCE), b""))


def _noted(lines: Iterable[str], record: list[str]) -> Iterator[str]:
    for line in lines:
        record.append(line)
        yield line


def _is_closed(record: list[str], separator: str) -> bool:
    try:
        list(csv.reader(record, delimiter=separator, strict=True))
    except csv.Error as error:
        return "end of data" not in str(error)
    return True
