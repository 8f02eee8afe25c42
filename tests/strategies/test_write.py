"""What each whole-table strategy writes for what it owes."""

import pytest
from tests.planner.making import ORDERS

from lamina.project.strategy import DeleteInsert, FullRefresh, Incremental, Merge, Strategy
from lamina.strategies.table import traits_of
from lamina.strategies.write import write_of
from lamina.values.coverage import Debt
from lamina.values.names import ColumnName, Position, TableName

KEY = (ColumnName("id"),)
APPENDED = Debt(input=ORDERS, since=Position("1"), position=Position("3"), is_append=True)
REWRITTEN = APPENDED.replace(is_append=False)
SIDE = APPENDED.replace(input=TableName("raw.prices"))
DRIVEN = Merge(unique_key=KEY, driver=ORDERS)


@pytest.mark.parametrize(
    ("strategy", "debts", "mode", "since"),
    [
        (FullRefresh(), (APPENDED,), "replace_all", None),
        (Incremental(), (APPENDED,), "append", "1"),
        (Incremental(), (REWRITTEN,), "replace_all", None),
        (Incremental(), (APPENDED, SIDE), "replace_all", None),
        (Incremental(), (), "replace_all", None),
        (Merge(unique_key=KEY), (APPENDED,), "merge", None),
        (DRIVEN, (APPENDED,), "merge", "1"),
        (DRIVEN, (REWRITTEN,), "merge", None),
        (DRIVEN, (APPENDED, SIDE), "merge", None),
        (DRIVEN, (), "merge", None),
        (DRIVEN.replace(on_delete="delete"), (APPENDED,), "merge", None),
        (DeleteInsert(partition_by=KEY), (APPENDED,), "delete_insert", None),
    ],
)
def test_write(strategy: Strategy, debts: tuple[Debt, ...], mode: str, since: str | None) -> None:
    write = write_of(traits_of(strategy), ORDERS, debts)
    assert (write.mode, write.since) == (mode, since)


def test_a_rebuild_in_place_of_an_append_says_why() -> None:
    assert write_of(traits_of(Incremental()), ORDERS, (REWRITTEN,)).note
    assert not write_of(traits_of(Incremental()), ORDERS, ()).note
