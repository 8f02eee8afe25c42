"""full_refresh: every build replaces all rows; seeds and Python models without a strategy do the same."""

from lamina.compiler.graph import CompiledModel
from lamina.strategies.write import Write
from lamina.values.coverage import Debt


def write(_model: CompiledModel, _debts: tuple[Debt, ...]) -> Write:
    """Replace all rows, whatever is owed."""
    return Write(mode="replace_all")
