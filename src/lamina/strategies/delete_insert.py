"""delete_insert: the key tuples the query produces replace those in the table; vanished ones stay."""

from lamina.compiler.graph import CompiledModel
from lamina.strategies.write import Write
from lamina.values.coverage import Debt


def write(_model: CompiledModel, _debts: tuple[Debt, ...]) -> Write:
    """Replace the key tuples of the whole query, whatever is owed."""
    return Write(mode="delete_insert")
