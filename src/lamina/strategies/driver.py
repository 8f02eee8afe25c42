"""The driving input: whose new rows alone bring a table up to date. The linker finds it, everything else asks it."""

from collections.abc import Iterable, Mapping, Sequence

from lamina.strategies.reading import Reading
from lamina.strategies.traits import Driver
from lamina.values.coverage import Debt
from lamina.values.names import Position, TableName, folded


def find_driver(
    driver: Driver | None, inputs: Sequence[TableName], *, names: Mapping[str, TableName]
) -> TableName | None:
    """Return which of a model's inputs is its driver: the named one, or the only one there is.

    `names` holds what a name in the settings of the model means, in lower case.
    """
    if driver is None:
        return None
    if driver.named is None:
        return inputs[0] if len(inputs) == 1 else None
    found = names.get(folded(driver.named))
    return found if found in inputs else None


def driver_among(inputs: Iterable[Reading]) -> TableName | None:
    """Return the input that was found to be the driver."""
    return next((use.name for use in inputs if use.is_driver), None)


def appended_since(driver: TableName | None, debts: tuple[Debt, ...]) -> Position | None:
    """Return where to read the driver from, if all that is owed are rows appended to it."""
    if not debts or not all(debt.input == driver and debt.is_append for debt in debts):
        return None
    return debts[0].since
