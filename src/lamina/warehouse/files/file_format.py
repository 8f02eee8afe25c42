"""What is known of one format of files. Each is a value at the end of its own file; `formats.py` lists them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values.interval import Interval
from lamina.values.schema import DataType, Schema
from lamina.warehouse.files.widest import widest

Ranges = tuple[Interval, ...] | None  # None: a file may hold anything


@dataclass(frozen=True)
class FileFormat:
    """How files of one format are looked into without Spark, and what must be known to read them with it."""

    code: str  # the file that says so: what is kept of files was found by it
    columns: Callable[[Path, SourceTable], Schema]  # of one file
    ranges: Callable[[Path, SourceTable, str], Ranges] = lambda _path, _source, _column: None  # times of one column
    range_types: frozenset[str] = frozenset()  # columns of these types hold the times that Spark reads
    names_types: bool = True  # files say the types of their columns; of others the values have to be read
    can_infer: Callable[[SourceTable], bool] = lambda _source: True  # whether options leave it to us how to read files
    wider: Callable[[DataType, DataType], DataType | None] = widest  # the type that holds values of both
    spelled: Callable[[DataType], DataType] | None = None  # Spark's type, and columns by name, if types are ours
    options: Callable[[SourceTable], dict[str, str]] = (
        lambda _source: {}
    )  # of Spark's reader, unless the source has own
    reading: int | None = None  # raised where the same bytes give other rows than before, beyond what options say
    has_layouts: bool = False  # files of one source may have fewer columns than others, or newlines in values
    has_empty_columns: bool = False  # files may have columns of no type, which Spark cannot read as another one
    is_null_if_misfit: bool = False  # Spark gives null for values that do not fit the type they are read as
