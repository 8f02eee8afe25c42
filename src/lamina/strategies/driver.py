"""The driving input of an append: whose new rows alone bring a table up to date."""

from lamina.compiler.graph import CompiledModel
from lamina.values.coverage import Debt
from lamina.values.names import Position, TableName


def driver_of(model: CompiledModel) -> TableName | None:
    """Return the input that drives an append."""
    return next((use.name for use in model.inputs if use.is_driver), None)


def appended_since(model: CompiledModel, debts: tuple[Debt, ...]) -> Position | None:
    """Return where to read the driver from, if all that is owed are rows appended to it."""
    driver = driver_of(model)
    if not debts or not all(debt.input == driver and debt.is_append for debt in debts):
        return None
    return debts[0].since
