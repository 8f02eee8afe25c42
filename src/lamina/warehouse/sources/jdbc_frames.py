"""Questions to a database and rows of its tables as Spark frames; the only file that knows the reader's options."""

from typing import TYPE_CHECKING, Any

from lamina.project.source import SourceTable
from lamina.values.names import ColumnName, same_name
from lamina.values.schema import Column, DataType, Schema, is_instant, is_ordered
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.sources.jdbc_faults import ColumnsDiffer, asking
from lamina.warehouse.sources.jdbc_sql import bounds_sql, table_in
from lamina.warehouse.sources.port import Lake
from lamina.warehouse.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_DRIVERS = {"postgresql": "org.postgresql.Driver"}

# Without it PostgreSQL's driver would hold all rows of a table in memory.
_ROWS_AT_ONCE = "10000"


def options_of(settings: WarehouseSettings, source: SourceTable) -> dict[str, str]:
    """Return the options of Spark's reader for a source; they hold its password and go through Spark's gateway only."""
    connection = source.connection
    assert connection is not None, "a source of a database has a connection"
    assert connection.database is not None, "other addresses are refused when a project is compiled"
    secret = settings.passwords.get(connection.password or "")
    return {
        "url": connection.url,
        "driver": _DRIVERS[connection.database],
        "fetchsize": _ROWS_AT_ONCE,
        # A time without a zone stays one; as an instant it would depend on the zone of the machine.
        "preferTimestampNTZ": "true",
        # Spark writes instants in filters without their zone, which is always UTC in its sessions.
        "sessionInitStatement": "SET TIME ZONE 'UTC'",
        **({"user": connection.user} if connection.user is not None else {}),
        **({"password": secret.reveal()} if secret is not None else {}),
    }


def ask(source: SourceTable, lake: Lake, query: str) -> list[Any]:
    """Return the rows that a database answers; the query is done there."""
    with asking(source):
        return _load(lake.session(), lake.settings, source, f"({query}) AS lamina").collect()


def columns_in_database(source: SourceTable, lake: Lake) -> Schema:
    """Return the columns of a table as the database has them, or why they are not what is declared or needed."""
    with asking(source):
        fields = _load(lake.session(), lake.settings, source, table_in(source.location)).schema.fields
    found = tuple(
        Column(ColumnName(item.name), DataType(item.dataType.simpleString()), nullable=item.nullable) for item in fields
    )
    _require_declared(source, found)
    for key, named in (("load_time", source.load_time), ("partition_column", source.partition_column)):
        if named is None:
            continue
        kind = column_of(source, found, named).type
        is_clock = key == "load_time" and source.safety_lag is not None
        if not (is_instant if is_clock else is_ordered)(kind):
            raise ColumnsDiffer(source.name, f"`{key}` is column `{named}`, whose type is {kind}")
    return found


def column_of(source: SourceTable, columns: Schema, name: str) -> Column:
    """Return a column by its name; the database may write it in another case."""
    column = next((item for item in columns if same_name(item.name, name)), None)
    if column is None:
        raise ColumnsDiffer(source.name, f"`{source.location}` has no column `{name}`")
    return column


def _require_declared(source: SourceTable, found: Schema) -> None:
    if source.is_inferred:
        return
    for declared in source.columns:
        there = column_of(source, found, declared.name)
        if there.type != declared.type:
            detail = f"column `{declared.name}` is declared as {declared.type} and is {there.type} in the database"
            raise ColumnsDiffer(source.name, detail)


def read_rows(
    source: SourceTable, lake: Lake, session: "SparkSession", *, columns: Schema, rows: str | None
) -> "DataFrame":
    """Return a lazy frame of a table's rows, or of those that a query gives; filters on it are done by the database."""
    relation = table_in(source.location) if rows is None else f"({rows}) AS lamina"
    divided = _divided(source, lake, columns, relation)
    with asking(source):
        frame = _load(session, lake.settings, source, relation, **divided)
    chosen = columns if source.is_inferred or not source.columns else source.columns
    return frame.select(*(f"{quote(column_of(source, columns, item.name).name)}" for item in chosen))


def _divided(source: SourceTable, lake: Lake, columns: Schema, relation: str) -> dict[str, str]:
    """Return the options that let rows be read in parallel; the bounds only say where to cut, no row is left out."""
    if source.partition_column is None or source.num_partitions is None:
        return {}
    column = column_of(source, columns, source.partition_column).name
    ((low, high),) = ask(source, lake, bounds_sql(relation, column))
    if low is None:
        return {}
    return {
        "partitionColumn": column,
        "lowerBound": str(low),
        "upperBound": str(high),
        "numPartitions": str(source.num_partitions),
    }


def _load(
    session: "SparkSession", settings: WarehouseSettings, source: SourceTable, relation: str, **more: str
) -> "DataFrame":
    options = {**options_of(settings, source), "dbtable": relation, **more}
    return session.read.format("jdbc").options(**options).load()
