"""How a table is laid out: the declared partitioning, or its time column at the granularity."""

import re

from lamina.compiler.graph import CompiledModel
from lamina.project.strategy import TimeInterval
from lamina.values.schema import Schema
from lamina.values.value import Value
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.spark.sql import quote

_TRANSFORMS = {"years": "year", "months": "month", "days": "day", "hours": "hour"}
_SQL = {transform: name for name, transform in _TRANSFORMS.items()}
_COUNTED = {"bucket", "truncate"}

_FIELD = re.compile(r"(?P<name>\w+)\s*\(\s*(?:(?P<count>\d+)\s*,\s*)?`?(?P<column>[^`)]+?)`?\s*\)")

# The nearest layout of Iceberg that is as coarse as the unit or coarser than it.
_BY_UNIT = {"day": "day", "week": "day", "month": "month", "year": "year"}


class LayoutInvalid(WarehouseFailure):
    """A partitioning that Iceberg does not have.

    Why: a table is laid out by columns or by the transforms Iceberg knows.
    Fix: use a column, or `years`, `months`, `days`, `hours`, `bucket(n, column)` or `truncate(n, column)` of one.
    """

    code = "L627"

    def __init__(self, model: str, field: str) -> None:
        super().__init__(
            f"`{model}` cannot be partitioned by `{field}`",
            kind="query_rejected",
            hint="use a column, or years, months, days, hours, bucket(n, column), truncate(n, column) of one",
        )


class PartitionField(Value, frozen=True):
    """One field of a table's layout; the transform in Iceberg's words (`day`, `identity`, `bucket[16]`)."""

    column: str
    transform: str

    def sql(self) -> str:
        """Return the field as `PARTITIONED BY` writes it."""
        if self.transform == "identity":
            return quote(self.column)
        if self.transform in _SQL:
            return f"{_SQL[self.transform]}({quote(self.column)})"
        name, _, count = self.transform.rstrip("]").partition("[")
        return f"{name}({count}, {quote(self.column)})"


def wanted_layout(model: CompiledModel, columns: Schema) -> tuple[PartitionField, ...]:
    """Return the layout a model's table should have."""
    declared = model.settings.partitioned_by
    if declared is not None:
        return tuple(_parse(model, text, columns) for text in declared)
    strategy = model.settings.strategy
    if not isinstance(strategy, TimeInterval):
        return ()
    kinds = {column.name.casefold(): column.type for column in columns}
    is_date = kinds.get(strategy.time_column.casefold()) == "date"
    transform = _BY_UNIT.get(strategy.granularity, "day" if is_date else "hour")
    return (PartitionField(column=strategy.time_column, transform=transform),)


def _parse(model: CompiledModel, text: str, columns: Schema) -> PartitionField:
    known = {column.name.casefold() for column in columns}
    found = _FIELD.fullmatch(text.strip())
    column = (found["column"] if found else text).strip(" `")
    field = _field(found, column)
    if field is None or column.casefold() not in known:
        raise LayoutInvalid(model.name, text)
    return field


def _field(found: re.Match[str] | None, column: str) -> PartitionField | None:
    if found is None:
        return PartitionField(column=column, transform="identity")
    name, count = found["name"].lower(), found["count"]
    if name in _TRANSFORMS or f"{name}s" in _TRANSFORMS:
        return PartitionField(column=column, transform=name.removesuffix("s"))
    if name in _COUNTED and count:
        return PartitionField(column=column, transform=f"{name}[{count}]")
    return None
