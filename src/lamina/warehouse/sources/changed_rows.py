"""Which times rows have that a file of an Iceberg table brings or takes away: rows, deletes by place or by value."""

from typing import Any

from lamina.values.interval import Interval, merge
from lamina.warehouse.files.parquet_format import parquet_ranges
from lamina.warehouse.files.time_ranges import ranges_of
from lamina.warehouse.iceberg.metadata import local_path

Ranges = tuple[Interval, ...] | None  # None: it may be any

# The content of a file with rows; 1 are deletes by place, 2 by value.
_DATA = 0


def ranges_in(file: Any, column: str) -> Ranges:
    """Return the times of the rows that a file adds or deletes, from what its manifest says of it."""
    match file.get("content") or _DATA:
        case 0:
            return parquet_ranges(local_path(file["file_path"]), column)
        case 1:
            return _of_places(file, column)
        case 2:
            # A row is deleted where it equals one of these in all their columns; others may have any time.
            return parquet_ranges(local_path(file["file_path"]), column)
        case _:
            return None


def _of_places(file: Any, column: str) -> Ranges:
    """Return the times of the rows at places of data files; of a bitmap only its data file is known."""
    if file["file_format"].upper() == "PUFFIN":
        deleted_from = file.get("referenced_data_file")
        return None if deleted_from is None else parquet_ranges(local_path(deleted_from), column)
    spans: list[Interval] = []
    for path, places in _places(file).items():
        found = _times_at(path, places, column)
        if found is None:
            return None
        spans.extend(found)
    return merge(tuple(spans))


def _places(file: Any) -> dict[str, list[int]]:
    """Return the places of deleted rows in each data file."""
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(local_path(file["file_path"])) as deletes:
        read = deletes.read(columns=["file_path", "pos"])
    found: dict[str, list[int]] = {}
    for path, place in zip(read.column("file_path").to_pylist(), read.column("pos").to_pylist(), strict=True):
        found.setdefault(path, []).append(place)
    return found


def _times_at(path: str, places: list[int], column: str) -> Ranges:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(local_path(path)) as data:
        if column not in data.schema_arrow.names:
            return None
        values = data.read(columns=[column]).column(0).take(places)
    try:
        return ranges_of(values)
    except OverflowError:
        return None  # a time outside of Python's calendar
