"""Identifiers and literals as Spark SQL writes them, all through sqlglot."""

from collections.abc import Iterable

from lamina.values.names import TableName
from lamina.values.schema import Schema


def quote(name: str) -> str:
    """Return an identifier in backticks.

    >>> quote("a`b")
    '`a``b`'
    """
    from sqlglot import exp

    return exp.to_identifier(name, quoted=True).sql(dialect="spark")


def quote_all(names: Iterable[str]) -> str:
    """Return identifiers separated by commas."""
    return ", ".join(quote(name) for name in names)


def relation(catalog: str, table: TableName) -> str:
    """Return a table's full name in SQL.

    >>> relation("lake", TableName("sales.orders"))
    '`lake`.`sales`.`orders`'
    """
    return ".".join(quote(part) for part in (catalog, *table.split(".")))


def text(value: str) -> str:
    """Return a string literal.

    >>> text("it's")
    "'it\\\\'s'"
    """
    from sqlglot import exp

    return exp.Literal.string(value).sql(dialect="spark")


def ddl(columns: Schema) -> str:
    """Return columns as Spark reads them from text."""
    return ", ".join(f"{quote(column.name)} {column.type}" for column in columns)
