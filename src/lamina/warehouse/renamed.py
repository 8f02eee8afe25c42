"""What tables say of models that were renamed since, under the names of now."""

from lamina.planner.renamed_models import ModelNames, mark_now, version_now
from lamina.values.coverage import Mark
from lamina.values.names import Position, TableName
from lamina.warehouse.port import History


def history_now(history: History, names: ModelNames) -> History:
    """Return the history of a table as the models of now would have written it."""
    if not names:
        return history
    return history.replace(
        versions=tuple(version_now(version, names) for version in history.versions),
        mark=None if history.mark is None else mark_now(history.mark, names),
    )


def found_mark_now(mark: Mark | None, names: ModelNames) -> Mark | None:
    """Return the mark of a table as the model of now would have written it."""
    return mark if mark is None or not names else mark_now(mark, names)


def pins_now(pins: dict[TableName, Position] | None, names: ModelNames) -> dict[TableName, Position] | None:
    """Return the versions that a batch read, by what the inputs are called now."""
    renamed = {TableName(before): TableName(now) for before, now in names.items()}
    return None if pins is None else {renamed.get(name, name): position for name, position in pins.items()}
