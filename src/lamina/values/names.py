"""Identifiers: one type per kind of name, so that they cannot be swapped, and when two of them are the same."""

from collections.abc import Iterable
from typing import NewType

ModelName = NewType("ModelName", str)  # "sales.orders"
SourceName = NewType("SourceName", str)  # "raw.orders": table `orders` of source `raw`
TableName = NewType("TableName", str)  # a model's or a source table's name, where either may be used
ColumnName = NewType("ColumnName", str)
Fingerprint = NewType("Fingerprint", str)
Position = NewType("Position", str)  # a table version: snapshot id, manifest hash
RunId = NewType("RunId", str)
PlanId = NewType("PlanId", str)
CommitId = NewType("CommitId", str)
EnvironmentName = NewType("EnvironmentName", str)


def folded(name: str) -> str:
    """Return a name as Spark compares it.

    >>> folded("Order_ID"), folded("straße") == folded("strasse")
    ('order_id', False)
    """
    return name.lower()  # not `casefold`: to Spark, `straße` and `strasse` are two columns


def folded_names(names: Iterable[str]) -> frozenset[str]:
    """Return some names as Spark compares them."""
    return frozenset(name.lower() for name in names)


def same_name(one: str, other: str) -> bool:
    """Return whether two names are the same to Spark, whatever their case."""
    return one.lower() == other.lower()
