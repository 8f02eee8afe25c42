"""Identifiers: one type per kind of name, so that they cannot be swapped."""

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
