"""Answer a user's query over the catalog's tables; reading only."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lamina.errors import UsageError
from lamina.values.cells import key_text, scalar_cell
from lamina.values.result import QueryColumn, QueryResult
from lamina.warehouse.sql import quote

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
        rows=tuple(tuple(json_cell(*cell) for cell in zip(row, kinds, strict=True)) for row in rows[:limit]),
        is_cut=len(rows) > limit,
    )


def refuse_writing(sql: str) -> None:
    """Raise unless a text is one query that only reads; needs no Spark."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    from lamina.compiler.query.parse import parser_words

    try:
        statements = sqlglot.parse(sql, dialect="spark")
    except SqlglotError as error:
        found = getattr(error, "errors", None) or [{"description": "it is not Spark SQL"}]
        message = f"the query cannot be parsed: {parser_words(str(found[0]['description']).rstrip('.'))}"
        raise UsageError(message, hint="write one Spark SQL query") from error
    allowed = (exp.Query, exp.Describe, exp.Show, exp.Values)
    is_shown = isinstance(statements[0], exp.Command) and statements[0].name.upper() == "SHOW"
    if len(statements) != 1 or not (is_shown or isinstance(statements[0], allowed)):
        raise UsageError("only one query can be run, and it must not write", hint="begin with SELECT or WITH")


def json_cell(value: Any, kind: Any) -> Any:
    """Return a value as JSON can hold it: structs as their values in order, maps by the texts of their keys."""
    match value:
        case datetime():
            return scalar_cell(_instant(value, kind))
        case dict():
            return {
                key_text(json_cell(key, kind.keyType)): json_cell(item, kind.valueType) for key, item in value.items()
            }
        case tuple():
            return [json_cell(item, field.dataType) for item, field in zip(value, kind, strict=True)]
        case list():
            return [json_cell(item, kind.elementType) for item in value]
        case _:
            return scalar_cell(value)


def _instant(value: datetime, kind: Any) -> datetime:
    """Return a time in UTC; Spark hands an instant over in the zone of this host, a time without zone as it is."""
    return value.replace(tzinfo=UTC) if kind.typeName() == "timestamp_ntz" else value.astimezone(UTC)
