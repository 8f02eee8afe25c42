"""Every whole-table strategy and the function that says what it writes."""

from collections.abc import Callable

from lamina.compiler.graph import CompiledModel
from lamina.project.strategy import DeleteInsert, FullRefresh, Incremental, Merge
from lamina.strategies import delete_insert, full_refresh, incremental, merge
from lamina.strategies.write import Write
from lamina.values.coverage import Debt

_WRITES: dict[type, Callable[[CompiledModel, tuple[Debt, ...]], Write]] = {
    FullRefresh: full_refresh.write,
    Incremental: incremental.write,
    Merge: merge.write,
    DeleteInsert: delete_insert.write,
}


def write_of(model: CompiledModel, debts: tuple[Debt, ...]) -> Write:
    """Return how a stale whole table is brought up to date; without debts, by reading everything."""
    return _WRITES[type(model.settings.strategy)](model, debts)
