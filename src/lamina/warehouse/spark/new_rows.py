"""Rows of a table that were not there at an earlier version of it, where its commits do not distinguish them."""

from typing import TYPE_CHECKING

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.values.names import folded, folded_names
from lamina.values.schema import DataType
from lamina.warehouse.iceberg.metadata import Snapshot
from lamina.warehouse.spark.checksum import is_hashable
from lamina.warehouse.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def is_rewritten(model: CompiledModel, steps: tuple[Snapshot, ...]) -> bool:
    """Return whether some step wrote old and new rows of a table without slices together."""
    only_adds = all(step.is_append or step.is_content_preserving for step in steps)
    return grid_of(model) is None and not only_adds


def rows_not_before(now: "DataFrame", before: "DataFrame", model: CompiledModel) -> "DataFrame":
    """Return the rows whose key was not there before; without a key, those of which there are more than before."""
    if key := model.traits.row_key:
        return _without(now, before, tuple(key))
    old = folded_names(before.columns)
    same = tuple(name for name, kind in now.dtypes if folded(name) in old and is_hashable(DataType(kind)))
    number = "lamina row"  # rows that are equal in all columns are distinguished by their count
    return _without(_numbered(now, same, number), _numbered(before, same, number), (*same, number)).drop(number)


def _numbered(frame: "DataFrame", names: tuple[str, ...], number: str) -> "DataFrame":
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    columns = [frame[quote(name)] for name in names]
    return frame.withColumn(number, f.row_number().over(Window.partitionBy(*columns).orderBy(f.lit(1))))


def _without(now: "DataFrame", before: "DataFrame", names: tuple[str, ...]) -> "DataFrame":
    from pyspark.sql import functions as f

    left, right = now.alias("now"), before.alias("before")
    pairs = [f.col(f"now.{quote(name)}").eqNullSafe(f.col(f"before.{quote(name)}")) for name in names]
    return left.join(right, pairs, "left_anti")
