"""How columns follow: what is kept, what can be cast, what is reported."""

import pytest

from lamina.project.strategy import DeleteInsert, Incremental, Merge, Strategy, TimeInterval
from lamina.strategies.table import traits_of
from lamina.strategies.traits import Upsert
from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType, Schema
from lamina.warehouse.spark.evolve import (
    Mismatch,
    can_cast,
    cast_columns,
    drift_of,
    evolve,
    ignored_drift_of,
    kept_columns,
    lacking,
    must_follow,
    own_columns,
    updating,
    without_former,
)


def schema(**kinds: str) -> Schema:
    return tuple(Column(name=ColumnName(name), type=DataType(kind)) for name, kind in kinds.items())


def test_every_kind_of_drift_is_reported_once() -> None:
    table = schema(id="int", amount="int", note="string", flag="boolean")
    change = evolve(table, schema(id="int", amount="bigint", flag="string", extra="date"))
    given = {item.column: (item.before, item.after, item.action) for item in drift_of("m", change, table)}
    assert given == {
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


def test_an_ignored_drift_casts_what_it_must_and_changes_nothing_else() -> None:
    table = schema(id="int", amount="int", note="string", flag="boolean")
    change = evolve(table, schema(id="int", amount="bigint", flag="string", extra="date"))
    assert cast_columns(table, change) == schema(id="int", amount="int", note="string", flag="string")


def test_an_ignored_drift_says_what_stays_and_what_it_must_follow() -> None:
    table = schema(id="int", note="string", code="string", gone="int", flag="boolean", at="date")
    change = evolve(table, schema(id="bigint", note="int", code="date", flag="string", at="timestamp", extra="int"))
    assert {item.column: item.action for item in ignored_drift_of("m", change, table)} == {
        "extra": "ignored",
        "id": "ignored",
        "note": "ignored",
        "gone": "kept",
        "code": "rebuilt",
        "flag": "rebuilt",
        "at": "rebuilt",
    }
    followed = cast_columns(table, must_follow(change))
    assert followed == schema(id="int", note="string", code="date", gone="int", flag="string", at="timestamp")


@pytest.mark.parametrize(
    ("strategy", "gone"),
    [
        (Merge(unique_key=(ColumnName("ID"), ColumnName("x")), order_by=(ColumnName("y"),)), ("x", "y")),
        (DeleteInsert(partition_by=(ColumnName("id"), ColumnName("x"))), ("x",)),
        (TimeInterval(time_column=ColumnName("x")), ("x",)),
        (Incremental(timestamp_column=ColumnName("x")), ()),
    ],
)
def test_a_strategy_lacks_the_columns_it_cannot_do_without(strategy: Strategy, gone: tuple[str, ...]) -> None:
    assert lacking(traits_of(strategy).telling, schema(id="int", v="int")) == gone


@pytest.mark.parametrize(
    ("given", "listed", "updated"),
    [
        pytest.param(("id", "a", "b"), None, None, id="the same columns"),
        pytest.param(("B", "ID", "a"), None, None, id="the same columns, spelled otherwise"),
        pytest.param(("id", "a", "b", "new"), None, None, id="one that the table lacks"),
        pytest.param(("id", "a"), None, ("a",), id="one gone"),
        pytest.param(("id", "a", "new"), None, ("a",), id="one gone, one that the table lacks"),
        pytest.param(("id", "new"), None, (), id="only the key is left"),
        pytest.param(("id", "a", "new"), ("a", "b"), ("a",), id="one that is listed is gone"),
        pytest.param(("id", "A", "new"), ("b",), (), id="all that are listed are gone"),
    ],
)
def test_a_merge_updates_only_what_both_its_query_and_its_table_have(
    given: tuple[str, ...], listed: tuple[str, ...] | None, updated: tuple[str, ...] | None
) -> None:
    table = schema(id="int", a="string", b="string")
    names = None if listed is None else tuple(ColumnName(name) for name in listed)
    upsert = Upsert(key=(ColumnName("ID"),), update_columns=names)
    assert updating(upsert, own_columns(table, given), table).update_columns == updated


def test_a_column_that_left_the_query_is_no_drift() -> None:
    table = schema(id="int", note="string", old="int")
    change = evolve(table, schema(id="int"))
    assert without_former(change, schema(old="int")).gone == ("note",)


@pytest.mark.parametrize("chosen", [None, ("v",)])
def test_an_upsert_takes_values_away_that_are_not_of_the_query(chosen: tuple[str, ...] | None) -> None:
    listed = None if chosen is None else tuple(ColumnName(name) for name in chosen)
    upsert = Upsert(key=(ColumnName("k"),), update_columns=listed)
    table, own = schema(k="int", v="int", old="int", gone="int"), (ColumnName("k"), ColumnName("v"))
    assert updating(upsert, own, table, former=(ColumnName("old"),)).update_columns == ("v", "old")
    assert updating(upsert, own, table).update_columns == ("v",)
