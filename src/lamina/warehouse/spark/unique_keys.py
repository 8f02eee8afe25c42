"""Keys that are unique in a whole table: those of new rows are looked up among the rows that stay."""

from typing import TYPE_CHECKING

from lamina.project.model import CheckSettings
from lamina.values.names import folded, folded_names
from lamina.warehouse.spark.check_sql import has_key
from lamina.warehouse.spark.checked_rows import Run
from lamina.warehouse.sql import quote, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Types whose least and largest value can be written down and compared with the bounds of files.
_BOUNDED = ("tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz", "string", "decimal")


def meeting_keys(check: CheckSettings, *, fresh: "DataFrame", staying: "DataFrame", run: Run) -> "DataFrame | None":
    """Return the keys of rows that stay and that new rows have too, one for each row; None: there can be none.

    The bounds of the new keys are given to Iceberg, which leaves out the files that cannot hold them.
    """
    names = folded_names(staying.columns)
    if not names.issuperset(check.names):
        return None  # the column is new: no row that was there has a key
    keys = [quote(name) for name in check.names]
    kinds = {folded(name): kind for name, kind in fresh.dtypes}
    bounded = [name for name in check.names if kinds[name].partition("(")[0] in _BOUNDED]
    new = fresh.where(has_key(check)).selectExpr(*keys)
    ends = [f"CAST({end}({quote(name)}) AS STRING)" for name in bounded for end in ("min", "max")]
    first, *bounds = run(new, ["count(1)", *ends])
    if not first:
        return None
    pairs = zip(bounded, bounds[::2], bounds[1::2], strict=True)
    conditions = [_between(name, kinds[name], least, most) for name, least, most in pairs]
    there = staying.where(" AND ".join((has_key(check), *conditions))).selectExpr(*keys)
    return there.join(new.distinct(), on=list(check.names), how="left_semi")


def _between(name: str, kind: str, least: str, most: str) -> str:
    return f"{quote(name)} BETWEEN CAST({text(least)} AS {kind}) AND CAST({text(most)} AS {kind})"
