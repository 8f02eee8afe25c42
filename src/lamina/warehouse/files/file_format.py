"""What is known of one format of files. Each is a value at the end of its own file; `formats.py` lists them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lamina.project.source import SourceTable
from lamina.values.interval import Interval
from lamina.values.schema import DataType, Schema
from lamina.warehouse.files.widest import widest

Ranges = tuple[Interval, ...] | None  # None: a file may hold anything


class FileLayout(NamedTuple):
    """What files must have in common to be read together."""

    columns: int  # how many of the declared columns, from the first
    has_newlines: bool  # inside of values


# Which files are read together; `Schema` are the columns to be found inside of them.
ByLayout = Callable[[SourceTable, Schema, Iterable[Path]], dict[FileLayout, list[Path]]]


def _no_ranges(_path: Path, _source: SourceTable, _column: str) -> Ranges:
    return None


def _always(_source: SourceTable) -> bool:
    return True


def _no_options(_source: SourceTable) -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class FileFormat:
    """How files of one format are looked into without Spark, and what must be known to read them with it."""

    code: str  # the file that says so: what is kept of files was found by it
    columns: Callable[[Path, SourceTable], Schema]  # of one file
    rows: Callable[[Path], int] | None = None  # how many one file has, where it says so itself
    ranges: Callable[[Path, SourceTable, str], Ranges] = _no_ranges  # times of one column in one file
    range_types: frozenset[str] = frozenset()  # columns of these types hold the times that Spark reads
    names_types: bool = True  # files say the types of their columns; of others the values have to be read
    can_infer: Callable[[SourceTable], bool] = _always  # whether options leave it to us how to read files
    wider: Callable[[DataType, DataType], DataType | None] = widest  # the type that holds values of both
    spelled: Callable[[DataType], DataType] | None = None  # Spark's type for ours; then columns go by name
    options: Callable[[SourceTable], dict[str, str]] = _no_options  # of Spark's reader; a source's own come first
    reading: int | None = None  # raised where the same bytes give other rows than before, beyond what options say
    by_layout: ByLayout | None = None  # where files of one source may differ in more than types
    has_empty_columns: bool = False  # files may have columns of no type, which Spark cannot read as another one
    is_null_if_misfit: bool = False  # Spark gives null for values that do not fit the type they are read as
