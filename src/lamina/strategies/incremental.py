"""incremental: append what was appended to the driver; anything else rebuilds the table."""

from lamina.compiler.graph import CompiledModel
from lamina.strategies.driver import appended_since
from lamina.strategies.write import Write
from lamina.values.coverage import Debt


def write(model: CompiledModel, debts: tuple[Debt, ...]) -> Write:
    """Append from the earliest unread position, or replace all rows where rows changed or went."""
    since = appended_since(model, debts)
    if since is not None:
        return Write(mode="append", since=since)
    note = "rows were changed or removed, so loading only the new ones is not enough" if debts else ""
    return Write(mode="replace_all", note=note)
