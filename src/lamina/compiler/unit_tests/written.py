"""Plain values as a test file or an answer writes them: the way back from `plain.py`."""

import math
from datetime import datetime
from typing import Any

from lamina.compiler.types.spark_types import element_of, entry_of, fields_of
from lamina.values.cells import key_text, scalar_cell
from lamina.values.schema import DataType


def written(cell: Any, kind: DataType) -> Any:
    """Return a plain value as a file has it: times, dates, decimals and bytes as text, structs and maps as tables.

    >>> written((1, None), DataType("struct<a:int,b:string>"))
    {'a': 1, 'b': None}
    """
    if cell is None or isinstance(cell, float):
        return cell
    if (element := element_of(kind)) is not None:
        return [written(item, element) for item in cell]
    if (fields := fields_of(kind)) is not None:
        return {name: written(item, inner) for item, (name, inner) in zip(cell, fields, strict=True)}
    if (entry := entry_of(kind)) is not None:
        return {key_text(written(key, entry[0])): written(item, entry[1]) for key, item in cell}
    if isinstance(cell, datetime) and cell.tzinfo is None:
        return cell.isoformat()
    return scalar_cell(cell)


def answered(value: Any) -> Any:
    """Return a written value as JSON can hold it, which has no NaN and no infinity."""
    match value:
        case float() if not math.isfinite(value):
            return scalar_cell(value)
        case list():
            return [answered(item) for item in value]
        case dict():
            return {key: answered(item) for key, item in value.items()}
        case _:
            return value
