"""Queries that a database answers about a source table, in the words of PostgreSQL."""

from lamina.values.names import ColumnName

MOST_MINUTES = 100  # rows of no more minutes than this, such as late ones, are given by the minute
MOST_UNITS = 20_000  # of hours or days; of more, all of the column counts as changed


def name_in(text: str) -> str:
    """Return an identifier in quotes.

    >>> name_in('a"b')
    '"a""b"'
    """
    from sqlglot import exp

    return exp.to_identifier(text, quoted=True).sql(dialect="postgres")


def value_in(text: str) -> str:
    """Return a value as text, which takes the type of what it is compared with.

    >>> value_in("it's")
    "'it''s'"
    """
    from sqlglot import exp

    return exp.Literal.string(text).sql(dialect="postgres")


def table_in(location: str) -> str:
    """Return the full name of a table.

    >>> table_in("public.orders")
    '"public"."orders"'
    """
    return ".".join(name_in(part) for part in location.split("."))


def high_sql(location: str, column: ColumnName, *, until: str | None = None) -> str:
    """Return the query for the greatest value of a column and the rows around it, all from one moment."""
    table, name = table_in(location), name_in(column)
    old = "" if until is None else f" WHERE {name} <= {until}"
    return (
        "SELECT CAST(m.high AS text) AS high, "
        f"count(*) FILTER (WHERE t.{name} < m.high) AS below, "
        f"count(*) FILTER (WHERE t.{name} = m.high) AS at_high, "
        f"count(*) FILTER (WHERE t.{name} IS NULL) AS undated, "
        f"{_digest(f't.{name}', f't.{name} < m.high')} AS digest "
        f"FROM {table} AS t CROSS JOIN (SELECT max({name}) AS high FROM {table}{old}) AS m GROUP BY m.high"
    )


def ago(seconds: int, *, is_local: bool) -> str:
    """Return the time of the database's clock some seconds ago; a time without a zone is one of UTC."""
    now = "clock_timestamp() AT TIME ZONE 'UTC'" if is_local else "clock_timestamp()"
    return f"({now}) - interval '{seconds} seconds'"


def counts_sql(location: str, column: ColumnName, *, high: str | None, until: str | None) -> str:
    """Return the query for the rows around a value, and those after it up to another."""
    name = name_in(column)
    below, at = (f"{name} < {value_in(high)}", f"{name} = {value_in(high)}") if high is not None else ("false", "false")
    return (
        f"SELECT count(*) FILTER (WHERE {below}) AS below, "
        f"count(*) FILTER (WHERE {at}) AS at_high, "
        f"count(*) FILTER (WHERE {name} IS NULL) AS undated, "
        f"count(*) FILTER (WHERE {newer_in(column, high=high, until=until)}) AS newer, "
        f"{_digest(name, below)} AS digest "
        f"FROM {table_in(location)}"
    )


def _digest(value: str, condition: str) -> str:
    """Return what stands for all values of a column in some rows, in whatever order they come."""
    return f"CAST(COALESCE(sum(hashtextextended(CAST({value} AS text), 0)) FILTER (WHERE {condition}), 0) AS text)"


def newer_in(column: ColumnName, *, high: str | None, until: str | None, is_closed: bool = False) -> str:
    """Return the condition for rows after a value up to another; `is_closed` takes in rows exactly at the first."""
    name = name_in(column)
    parts = [] if high is None else [f"{name} {'>=' if is_closed else '>'} {value_in(high)}"]
    parts.append("false" if until is None else f"{name} <= {value_in(until)}")
    return " AND ".join(parts)


def up_to_in(column: ColumnName, *, until: str | None) -> str:
    """Return the condition for rows up to a value, those without one included."""
    name = name_in(column)
    return f"{name} IS NULL" if until is None else f"({name} <= {value_in(until)} OR {name} IS NULL)"


def rows_sql(location: str, condition: str) -> str:
    """Return the query for some rows of a table."""
    return f"SELECT * FROM {table_in(location)} WHERE {condition}"


def units_sql(location: str, column: ColumnName, condition: str, *, unit: str, most: int) -> str:
    """Return the query for the units of time in which some rows are; one more than can be used is asked for."""
    name = name_in(column)
    value = name if unit == "day" else f"date_trunc({value_in(unit)}, {name})"
    return (
        f"SELECT DISTINCT CAST({value} AS text) AS unit FROM {table_in(location)} "
        f"WHERE {condition} AND {name} IS NOT NULL LIMIT {most + 1}"
    )


def bounds_sql(rows: str, column: ColumnName) -> str:
    """Return the query for the least and greatest value of a column in some rows."""
    name = name_in(column)
    return f"SELECT CAST(min({name}) AS text) AS low, CAST(max({name}) AS text) AS high FROM {rows}"


def presence_sql(location: str) -> str:
    """Return the query for whether a table has any row."""
    return f"SELECT EXISTS (SELECT 1 FROM {table_in(location)}) AS present"
