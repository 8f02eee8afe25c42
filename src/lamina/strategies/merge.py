"""merge: upsert by key, from the driver's new rows where they suffice, else from the whole query."""

from lamina.compiler.graph import CompiledModel
from lamina.project.strategy import Merge
from lamina.strategies.driver import appended_since
from lamina.strategies.write import Write
from lamina.values.coverage import Debt


def write(model: CompiledModel, debts: tuple[Debt, ...]) -> Write:
    """Upsert new rows only if the user named what drives them and no key has to be looked for in the whole source."""
    strategy = model.settings.strategy
    is_driven = isinstance(strategy, Merge) and (strategy.driver is not None or strategy.timestamp_column is not None)
    if not is_driven or not isinstance(strategy, Merge) or strategy.on_delete == "delete":
        return Write(mode="merge")
    return Write(mode="merge", since=appended_since(model, debts))
