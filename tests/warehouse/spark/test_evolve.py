"""How columns follow: what is kept, what can be cast, what is told."""

import pytest

from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType, Schema
from lamina.warehouse.spark.evolve import Mismatch, can_cast, drift_of, evolve, kept_columns


def schema(**kinds: str) -> Schema:
    return tuple(Column(name=ColumnName(name), type=DataType(kind)) for name, kind in kinds.items())


def test_every_kind_of_drift_is_told_once() -> None:
    table = schema(id="int", amount="int", note="string", flag="boolean")
    change = evolve(table, schema(id="int", amount="bigint", flag="string", extra="date"))
    told = {
        item.column: (item.before, item.after, item.action) for item in drift_of("m", change, table, is_ignored=False)
    }
    assert told == {
        "extra": (None, "date", "added"),
        "amount": ("int", "bigint", "widened"),
        "note": ("string", None, "kept"),
        "flag": ("boolean", "string", "rebuilt"),
    }
    assert kept_columns(table, change) == schema(note="string")


@pytest.mark.parametrize("before", ["int", "bigint", "float", "double", "boolean", "decimal(8,2)"])
def test_numbers_and_booleans_can_be_cast_to_text(before: str) -> None:
    assert can_cast((Mismatch(column="c", before=DataType(before), after=DataType("string")),))


@pytest.mark.parametrize(
    ("before", "after"), [("string", "int"), ("bigint", "int"), ("timestamp", "string"), ("array<int>", "string")]
)
def test_other_types_are_built_again(before: str, after: str) -> None:
    safe = Mismatch(column="a", before=DataType("int"), after=DataType("string"))
    assert not can_cast((safe, Mismatch(column="b", before=DataType(before), after=DataType(after))))
