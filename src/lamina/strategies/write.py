"""What a build does to a stale whole table, by the traits of its strategy and what is owed."""

from lamina.strategies.driver import appended_since
from lamina.strategies.traits import Traits
from lamina.values.coverage import Debt
from lamina.values.names import Position, TableName
from lamina.values.plan import Mode
from lamina.values.value import Value


class Write(Value, frozen=True):
    """How a stale whole table is brought up to date; `note` says why it is more than the new rows."""

    mode: Mode
    since: Position | None = None  # read the driver's rows appended after this; None: read everything
    note: str = ""


def write_of(traits: Traits, driver: TableName | None, debts: tuple[Debt, ...]) -> Write:
    """Return how a stale whole table is brought up to date; without debts, by reading everything."""
    assert traits.mode is not None, "only a table is written"
    if traits.driver is not None and traits.driver.is_by_time:
        is_new = bool(debts) and all(debt.input == driver for debt in debts)
        return Write(mode="append" if is_new else traits.mode)
    since = appended_since(driver, debts) if traits.new_rows is not None else None
    if traits.new_rows is not None and since is not None:
        return Write(mode=traits.new_rows, since=since)
    is_more = bool(debts) and traits.is_append
    note = "rows were changed or removed, so loading only the new ones is not enough" if is_more else ""
    return Write(mode=traits.mode, note=note)
