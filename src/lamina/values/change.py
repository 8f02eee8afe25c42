"""How a model differs between two versions of a project, and who reads what changed."""

from typing import Literal

from lamina.values.names import ColumnName, ModelName
from lamina.values.value import Value

ChangeClass = Literal[
    "unchanged",
    "metadata",
    "column_added",
    "column_changed",
    "column_removed",
    "rows_changed",
    "added",
    "removed",
    "renamed",
]


class ColumnChange(Value, frozen=True):
    """One column that is not what it was."""

    name: ColumnName
    change: Literal["added", "changed", "removed"]
    before: str | None = None  # its type, where the two versions have different ones
    after: str | None = None


class Affected(Value, frozen=True):
    """A model that reads what changed, and which of its columns may change by it; None: all, its rows too."""

    model: ModelName
    columns: tuple[ColumnName, ...] | None


class ModelChange(Value, frozen=True, rename={"change": "class"}):
    """What became of one model."""

    model: ModelName
    change: ChangeClass
    columns: tuple[ColumnChange, ...] = ()
    blast_radius: tuple[Affected, ...] = ()
    renamed_from: ModelName | None = None
    through: tuple[ModelName, ...] = ()  # ephemeral models whose change this is
    settings: tuple[str, ...] = ()  # of a change of metadata: what is set otherwise
