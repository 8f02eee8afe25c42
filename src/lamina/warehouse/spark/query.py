"""Answer a user's query over the catalog's tables; reading only."""

from base64 import b64encode
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lamina.errors import UsageError
from lamina.values.result import QueryColumn, QueryResult
from lamina.warehouse.spark.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def run_query(session: "SparkSession", sql: str, *, catalog: str, limit: int) -> QueryResult:
    """Return the first rows of a query, whose names are looked up in the catalog first."""
    # As a statement, because the call would load the catalog with the settings of whatever session is active.
    session.sql(f"SET CATALOG {quote(catalog)}")
    frame = session.sql(sql)
    kinds = [field.dataType for field in frame.schema]
    rows = frame.limit(limit + 1).collect()
    return QueryResult(
        columns=tuple(QueryColumn(name=field.name, type=field.dataType.simpleString()) for field in frame.schema),
        rows=tuple(tuple(_cell(*cell) for cell in zip(row, kinds, strict=True)) for row in rows[:limit]),
        is_cut=len(rows) > limit,
    )


def refuse_writing(sql: str) -> None:
    """Raise unless a text is one query that only reads; needs no Spark."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        statements = sqlglot.parse(sql, dialect="spark")
    except SqlglotError as error:
        found = getattr(error, "errors", None) or [{"description": "it is no Spark SQL"}]
        message = f"the query cannot be read: {found[0]['description']}"
        raise UsageError(message, hint="write one Spark SQL query") from error
    allowed = (exp.Query, exp.Describe, exp.Show, exp.Values)
    is_shown = isinstance(statements[0], exp.Command) and statements[0].name.upper() == "SHOW"
    if len(statements) != 1 or not (is_shown or isinstance(statements[0], allowed)):
        raise UsageError("only one query can be asked, and it may not write", hint="begin with SELECT or WITH")


def _cell(value: Any, kind: Any) -> Any:
    """Return a value as JSON can hold it: times in UTC with Z, decimals as text."""
    match value:
        case datetime():
            return _instant(value, kind).isoformat().replace("+00:00", "Z")
        case date():
            return value.isoformat()
        case Decimal():
            return str(value)
        case bytes() | bytearray():
            return b64encode(value).decode()
        case dict():
            return {str(_cell(key, kind.keyType)): _cell(item, kind.valueType) for key, item in value.items()}
        case tuple():
            return [_cell(item, field.dataType) for item, field in zip(value, kind, strict=True)]
        case list():
            return [_cell(item, kind.elementType) for item in value]
        case _:
            return value


def _instant(value: datetime, kind: Any) -> datetime:
    """Return a time in UTC; Spark hands an instant over in the zone of this host, a time without zone as it is."""
    return value.replace(tzinfo=UTC) if kind.typeName() == "timestamp_ntz" else value.astimezone(UTC)
