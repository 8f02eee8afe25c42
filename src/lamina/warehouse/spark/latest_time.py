"""The latest time in a column of a frame, as an instant."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lamina.project.model import CheckSettings
from lamina.values.names import ColumnName, folded
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.spark.check_sql import CheckSql

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_TIMES = ("date", "timestamp", "timestamp_ntz")


def latest_time(frame: "DataFrame", column: ColumnName, *, zone: str) -> datetime | None:
    """Return the latest time of all rows, read as a `freshness` check reads it; None where no row has one."""
    kinds = {folded(field.name): field.dataType.simpleString() for field in frame.schema}
    kind = kinds.get(folded(column))
    if kind not in _TIMES:
        found = "there is no such column" if kind is None else f"it is `{kind}`"
        raise WarehouseFailure(
            f"`{column}` is not a column of times: {found}",
            kind="query_rejected",
            hint="name a `date` or `timestamp` column under `[freshness]`",
        )
    newest = CheckSql(kinds, moment=datetime.now(UTC), zone=zone).value(
        CheckSettings(type="freshness", column=column), mark="true"
    )
    ((value,),) = frame.selectExpr(newest).collect()
    return None if value is None else datetime.fromisoformat(value).replace(tzinfo=UTC)
