"""Examples of the rows that fail a check, as a person reads them."""

from typing import TYPE_CHECKING, Any

from lamina.compiler.graph import CompiledModel
from lamina.project.model import CheckSettings
from lamina.values.names import folded, folded_names, same_name
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.spark.check_reads import CheckReads, mark_of
from lamina.warehouse.spark.check_sql import has_key
from lamina.warehouse.spark.checked_rows import CheckedRows, aggregates_of
from lamina.warehouse.spark.unique_keys import meeting_keys
from lamina.warehouse.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_EXAMPLES = 5
_LONGEST = 60
_FIRST_COLUMNS = 3
_MOST_COLUMNS = 6
_COUNT = "lamina__rows"


def examples_of(check: CheckSettings, rows: CheckedRows, model: CompiledModel, around: CheckReads) -> tuple[str, ...]:
    """Return what up to five failing rows hold in the columns a check is about; none where they cannot be read."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return _examples(check, rows, model, around)
    except (PySparkException, Py4JError, WarehouseFailure):
        return ()  # the check failed all the same, and says with how many rows


def _examples(check: CheckSettings, rows: CheckedRows, model: CompiledModel, around: CheckReads) -> tuple[str, ...]:
    if check.type == "unique":
        return _shown(_doubled(check, rows), [*(check.columns or filter(None, [check.column]))])
    if check.type == "custom_sql":
        returned = around.failing_rows(check, model, rows)
        return _shown(returned, returned.columns[:_MOST_COLUMNS])
    frame = (rows.table if check.scope == "table" else rows.batch)()
    found = around.with_found(frame, [check], model, rows)
    failed = found.where(around.sql_for(found, model).failing(check, mark=mark_of(check, model)))
    return _shown(failed, _columns(check, model, frame.columns))


def _doubled(check: CheckSettings, rows: CheckedRows) -> "DataFrame":
    """Return the keys that more than one row has."""
    from pyspark.sql import functions

    keys = [quote(name) for name in check.names]
    frame = (rows.fresh if check.is_table_key else rows.batch)()
    found = frame.where(has_key(check)).selectExpr(*keys)
    if check.is_table_key and rows.staying is not None:
        met = meeting_keys(check, fresh=frame, staying=rows.staying(), run=aggregates_of)
        found = found if met is None else found.unionByName(met)
    return found.groupBy(*keys).agg(functions.count("*").alias(_COUNT)).where(f"{_COUNT} > 1")


def _columns(check: CheckSettings, model: CompiledModel, columns: list[str]) -> list[str]:
    """Return the columns that show why a row fails and which row it is."""
    about = [name for name in columns if folded(name) in check.names or _is_read(name, check.expression)]
    traits = model.traits
    keys = {folded(name) for item in model.settings.checks if item.type == "unique" for name in item.names}
    keys |= folded_names(traits.row_key)
    keys |= {folded(traits.slices.time_column)} if traits.slices is not None else set()
    others = [name for name in columns if name not in about]
    named = [name for name in others if folded(name) in keys]
    return [*about, *(named or others[:_FIRST_COLUMNS])]


def _is_read(name: str, expression: str | None) -> bool:
    from sqlglot import exp, parse_one

    if expression is None:
        return False
    return any(same_name(column.name, name) for column in parse_one(expression, dialect="spark").find_all(exp.Column))


def _shown(frame: "DataFrame", columns: list[str]) -> tuple[str, ...]:
    texts = [f"CAST({quote(name)} AS STRING) AS {quote(name)}" for name in columns]
    found = frame.selectExpr(*texts).distinct().orderBy(*(quote(name) for name in columns)).limit(MOST_EXAMPLES)
    return tuple(
        ", ".join(_said(name, value) for name, value in zip(columns, row, strict=True)) for row in found.collect()
    )


def _said(name: str, value: Any) -> str:
    if value is None:
        return f"{name} = NULL"
    text = str(value)
    return f"{name} = {text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...'}"
