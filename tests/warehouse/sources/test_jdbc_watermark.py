"""What the counts of rows beside a load time show, and what a database's refusals mean."""

import pytest

from lamina.project.source import Connection, SourceTable
from lamina.values.names import ColumnName, Position, SourceName
from lamina.values.touch import Everything
from lamina.warehouse.iceberg.tables import Tables
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.sources import jdbc
from lamina.warehouse.sources.jdbc_faults import refused
from lamina.warehouse.sources.jdbc_sql import counts_sql, high_sql, newer_in, units_sql, up_to_in
from lamina.warehouse.sources.jdbc_watermark import Counted, Watermark, change_since, is_as_it_was, watermark_at
from lamina.warehouse.sources.port import Lake

AT = ColumnName("at")
BEFORE = Watermark("a1", "7", below=10, at=2, undated=1)
ORDERS = SourceTable(
    name=SourceName("shop.orders"),
    type="jdbc",
    location="public.orders",
    connection=Connection(url="jdbc:postgresql://db/shop", user="reader", password="SHOP_PASSWORD"),
    load_time=ColumnName("loaded_at"),
)
RATES = ORDERS.replace(name="shop.rates", load_time=None)
SETTINGS = WarehouseSettings(root="/nowhere", database="/nowhere/db", warehouse="/nowhere/w", logs="/nowhere/l")
LAKE = Lake(SETTINGS, Tables(SETTINGS))


@pytest.mark.parametrize(
    ("now", "rows", "words"),
    [
        (Counted(10, 2, 1, newer=3), "after", ""),
        (Counted(10, 3, 1, newer=0), "from", "1 row came with the same `at` as the last one that was read"),
        (Counted(10, 4, 1, newer=3), "from", "2 rows came with the same `at`"),
        (Counted(11, 2, 1, newer=3), "anywhere", "1 row came with an earlier `at`"),
        (Counted(11, 3, 1, newer=0), "anywhere", "1 row came with an earlier `at`"),
        (Counted(9, 2, 1, newer=1), "anywhere", "rows were removed, or got a later `at`"),
        (Counted(11, 1, 1, newer=1), "anywhere", "rows were removed"),
        (Counted(10, 2, 2, newer=1), "anywhere", "rows without a `at`"),
        (Counted(10, 2, 1, newer=3, digest="8"), "anywhere", "rows got another `at`"),
        (Counted(10, 2, 1, newer=0), "anywhere", "rows changed while they were counted"),
    ],
)
def test_only_rows_after_a_watermark_are_an_append(now: Counted, rows: str, words: str) -> None:
    change = change_since(BEFORE, now, column="at")
    assert change.rows == rows
    assert change.detail.startswith(words)


@pytest.mark.parametrize("mark", [BEFORE, Watermark("a1", None, below=0, at=0, undated=0)])
def test_a_position_gives_its_watermark_back(mark: Watermark) -> None:
    assert watermark_at(mark.position, "a1") == mark
    assert watermark_at(mark.position, "b2") is None


def test_every_count_is_part_of_what_must_stay_the_same() -> None:
    assert is_as_it_was(BEFORE, Counted(10, 2, 1, newer=9))
    assert not is_as_it_was(BEFORE, Counted(10, 2, 1, newer=0, digest="8"))
    for changed in (Counted(9, 2, 1, newer=0), Counted(10, 1, 1, newer=0), Counted(10, 2, 0, newer=0)):
        assert not is_as_it_was(BEFORE, changed)


def test_queries_quote_what_they_name() -> None:
    assert high_sql('s.o"x', AT).count('"s"."o""x"') == 2
    assert "\"at\" < '1''2'" in counts_sql("s.o", AT, high="1'2", until=None)
    assert newer_in(AT, high="1", until="2") == "\"at\" > '1' AND \"at\" <= '2'"
    assert newer_in(AT, high="1", until="2", is_closed=True) == "\"at\" >= '1' AND \"at\" <= '2'"
    assert newer_in(AT, high=None, until="2") == "\"at\" <= '2'"
    assert newer_in(AT, high="1", until=None) == "\"at\" > '1' AND false"
    assert up_to_in(AT, until="2") == '("at" <= \'2\' OR "at" IS NULL)'
    assert up_to_in(AT, until=None) == '"at" IS NULL'
    assert "LIMIT 8" in units_sql("s.o", AT, "true", unit="hour", most=7)


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("08001", "connection_failed"),
        ("57P03", "connection_failed"),
        ("53300", "connection_failed"),
        ("28P01", "auth_failed"),
        ("28000", "auth_failed"),
        ("08004", "auth_failed"),
        ("42501", "auth_failed"),
        ("3D000", "not_found"),
        ("42P01", "not_found"),
        ("22P02", "data_rejected"),
        (None, "data_rejected"),
    ],
)
def test_a_refusal_has_a_kind_that_blocks_readers_only_and_a_hint(state: str | None, kind: str) -> None:
    failure = refused(ORDERS, state, "no")
    assert (failure.kind, failure.code) == (kind, "L654")
    assert "shop.orders" in failure.message
    assert failure.hint


def test_a_wrong_password_names_its_variable() -> None:
    assert refused(ORDERS, "28P01", "").hint == "check `user`, and the value of `SHOP_PASSWORD`"


def test_another_column_or_address_is_another_place() -> None:
    first = jdbc._place(ORDERS)
    connection = Connection(url="jdbc:postgresql://other/shop", user="reader")
    assert (
        len({first, jdbc._place(ORDERS.replace(load_time="id")), jdbc._place(ORDERS.replace(connection=connection))})
        == 3
    )
    since = Watermark("elsewhere", "7", below=1, at=1, undated=0).position
    until = Watermark(first, "8", below=1, at=1, undated=0).position
    (touch,) = jdbc.changes(ORDERS, LAKE, since, columns=(), until=until)
    assert isinstance(touch.extent, Everything)
    assert "another place" in touch.detail


def test_without_a_load_time_every_look_is_a_change_and_says_why() -> None:
    first, second = Position("2026-04-07T10:00:00+00:00"), Position("2026-04-08T10:00:00+00:00")
    (touch,) = jdbc.changes(RATES, LAKE, first, columns=(ColumnName("day"),), until=second)
    assert (touch.parent, touch.position, touch.is_append) == (first, second, False)
    assert "no `load_time` is declared" in touch.detail
    assert (jdbc.detector(RATES), jdbc.detector(ORDERS)) == ("always", "watermark")
    assert "keeps no versions" in str(jdbc.unrepeatable(RATES, first))
    assert jdbc.unrepeatable(ORDERS, Watermark(jdbc._place(ORDERS), "7", below=1, at=1, undated=0).position) is None


def test_a_table_is_emptied_when_it_had_rows_before() -> None:
    place = jdbc._place(ORDERS)
    full, empty = (Watermark(place, high, rows, 0, 0).position for high, rows in (("7", 3), (None, 0)))
    assert jdbc.is_emptied(ORDERS, LAKE, full, until=empty)
    assert not jdbc.is_emptied(ORDERS, LAKE, empty, until=empty)
    assert not jdbc.is_emptied(ORDERS, LAKE, empty, until=full)
    look = "2026-04-07T10:00:00+00:00"
    assert jdbc.is_emptied(RATES, LAKE, Position(look), until=Position(f"{look} empty"))
    assert not jdbc.is_emptied(RATES, LAKE, Position(f"{look} empty"), until=Position(f"{look} empty"))
