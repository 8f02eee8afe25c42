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


QUARANTINE = "__quarantine"  # ends the name of the table that holds what checks sorted out; no model's name has `__`
FAILED_CHECKS = "failed_checks"  # the column of such a table that lists the names of the checks


def quarantine_of(table: TableName) -> TableName:
    """Return the quarantine of a table.

    >>> quarantine_of(TableName("sales.orders"))
    'sales.orders__quarantine'
    """
    return TableName(f"{table}{QUARANTINE}")


def is_quarantine(table: TableName) -> bool:
    """Return whether a table has the name of a quarantine."""
    return table.endswith(QUARANTINE)


def beside_of(commit: CommitId) -> CommitId:
    """Return the name under which a batch stages the quarantine of its table."""
    return CommitId(f"{commit}{QUARANTINE}")


def without_quarantine(name: str) -> str:
    """Return the name of what a quarantine, or its stage, is beside; any other name as it is."""
    return name.removesuffix(QUARANTINE)
