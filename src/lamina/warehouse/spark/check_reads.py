"""What checks read beside the rows they look at: other tables, at the versions that belong to these rows."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.render import render_parts
from lamina.project.model import CheckSettings
from lamina.values.batch import Pin
from lamina.values.duration import parse_duration
from lamina.values.names import ModelName, Position, TableName, folded
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.sources.kinds import kind_of
from lamina.warehouse.sources.port import Lake
from lamina.warehouse.spark.check_sql import CheckSql
from lamina.warehouse.spark.checked_rows import CheckedRows, aggregates_of
from lamina.warehouse.spark.errors import translated
from lamina.warehouse.spark.frame import Frames
from lamina.warehouse.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_KEY = "lamina__key"


class CheckReads:
    """Other tables and the time, as the checks of one batch or table see them."""

    def __init__(self, lake: Lake, graph: Graph, frames: Frames, *, pins: tuple[Pin, ...], moment: datetime) -> None:
        self._lake = lake
        self._graph = graph
        self._frames = frames
        self._pins = {pin.input: pin.position for pin in pins}
        self._moment = moment
        self._read: dict[TableName, DataFrame] = {}

    def count(self, frame: "DataFrame", aggregates: list[str]) -> list[Any]:
        """Return the values of aggregates over a frame; raise `WarehouseFailure` where Spark refuses them."""
        with translated("check", folder=Path(self._lake.settings.warehouse)):
            return aggregates_of(frame, aggregates)

    def sql_for(self, frame: "DataFrame", model: CompiledModel) -> CheckSql:
        """Return the SQL of checks over a frame."""
        kinds = {folded(name): kind for name, kind in frame.dtypes}
        return CheckSql(kinds, moment=self._moment, zone=model.settings.timezone)

    def oldest(self, check: CheckSettings) -> datetime:
        """Return the time that the newest row must have reached, by a `freshness` check."""
        return self._moment - timedelta(seconds=parse_duration(check.error_after or "") or 0)

    def with_found(
        self,
        frame: "DataFrame",
        checks: Sequence[CheckSettings],
        model: CompiledModel,
        rows: CheckedRows,
        *,
        where: str | None = None,
    ) -> "DataFrame":
        """Return rows with a mark for each `relationships` check, true where its value is in the other table.

        Keys are joined once each, so that every row stays one row and is read once for all checks.
        """
        from pyspark.sql import functions

        with translated("check", folder=Path(self._lake.settings.warehouse)):
            frame = frame if where is None else frame.where(where)
            for number, check in enumerate(item for item in checks if item.to is not None):
                key, mark = f"{_KEY}_{number}", mark_of(check, model)
                field = quote(str(check.field))
                other = self._looked_up(check, model, rows)
                keys = other.selectExpr(f"{field} AS {key}").where(f"{key} IS NOT NULL").distinct()
                marked = keys.selectExpr(key, f"true AS {quote(mark)}")
                (column,) = check.names
                frame = frame.join(marked, on=functions.expr(f"{quote(column)} = {key}"), how="left").drop(key)
            return frame

    def failing_rows(self, check: CheckSettings, model: CompiledModel, rows: CheckedRows) -> "DataFrame":
        """Return what the query of a `custom_sql` check returns."""
        # Imported here: it needs the parser, which commands that only look at tables do not.
        from lamina.compiler.check_query import check_query

        part = check_query(model, check.sql or "")
        views: dict[TableName, str] = {}
        with translated("check", folder=Path(self._lake.settings.warehouse)):
            for table in sorted({table for table in part.references if table is not None}):
                is_own = table == TableName(model.name)
                frame = (rows.table if check.scope == "table" else rows.batch)() if is_own else self._table(table)
                number = model.settings.checks.index(check)
                # Models are checked side by side in one session.
                views[table] = f"lamina_check_{model.name.encode().hex()}_{number}_{len(views)}"
                self._frames.name(views[table], frame)
            return self._frames.query(render_parts((part,), relations=views, parameters={}).sql)

    def _looked_up(self, check: CheckSettings, model: CompiledModel, rows: CheckedRows) -> "DataFrame":
        table = model.looked_up[str(check.to)]
        return rows.table() if table == TableName(model.name) else self._table(table)

    def _table(self, table: TableName) -> "DataFrame":
        """Return another table: as the batch has read it where it is an input, else as it is now."""
        if table not in self._read:
            position = self._pins.get(table) or self._head(table)
            self._read[table] = self._frames.read(Pin(input=table, position=position))
        return self._read[table]

    def _head(self, table: TableName) -> Position:
        source = next((item for item in self._graph.sources if TableName(item.name) == table), None)
        if source is not None:
            columns = () if source.time_column is None else (source.time_column,)
            head = kind_of(source).head(source, self._lake, None, columns)
        else:
            target = self._graph.model(ModelName(table)).target
            head = self._lake.tables.heads((target,))[target]
        if head.position is None:
            hint = "run it first" if source is None else "check the path of the source"
            raise WarehouseFailure(f"there are no rows of `{table}` yet", kind="not_found", hint=hint)
        return head.position


def mark_of(check: CheckSettings, model: CompiledModel) -> str:
    """Return the name of the column that says whether a value was found; one for each check of a model."""
    return f"lamina__found_{model.settings.checks.index(check)}"
