"""How a table is laid out: the declared partitioning, or its time column at the granularity."""

from lamina.compiler.graph import CompiledModel
from lamina.project.partitioning import TRANSFORM_BY_UNIT, TRANSFORMS, read_field
from lamina.values.names import folded
from lamina.values.schema import Schema
from lamina.values.value import Value
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.sql import quote

_SQL = {transform: name for name, transform in TRANSFORMS.items()}


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
    slices = model.traits.slices
    if slices is None:
        return ()
    kinds = {folded(column.name): column.type for column in columns}
    is_date = kinds.get(folded(slices.time_column)) == "date"
    transform = TRANSFORM_BY_UNIT.get(slices.unit, "day" if is_date else "hour")
    return (PartitionField(column=slices.time_column, transform=transform),)


def _parse(model: CompiledModel, text: str, columns: Schema) -> PartitionField:
    known = {folded(column.name) for column in columns}
    column, transform = read_field(text)
    if transform is None or folded(column) not in known:
        raise LayoutInvalid(model.name, text)
    return PartitionField(column=column, transform=transform)
