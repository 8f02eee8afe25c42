"""The table of a snapshot: its columns, and what its history is kept by."""

from lamina.compiler.graph import CompiledModel
from lamina.strategies.traits import Versions
from lamina.values.names import folded, folded_names
from lamina.values.schema import Schema
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.iceberg.metadata import Metadata
from lamina.warehouse.spark.drift import KeptRowsCollide

_KEPT_BY = "lamina.history"  # a property of the table


def with_validity(model: CompiledModel, columns: Schema) -> Schema:
    """Return the columns of a result with those that the strategy adds; raise where the result has one of them."""
    names = {folded(column.name) for column in columns}
    for added in model.traits.added:
        if folded(added.name) in names:
            raise WarehouseFailure(
                f"the result of `{model.name}` has a column `{added.name}`, which `{model.traits.name}` writes itself",
                kind="query_rejected",
                hint="give the column of the query another name",
            )
    return (*columns, *model.traits.added)


def history_properties(model: CompiledModel) -> dict[str, str]:
    """Return the properties of a table that say what its history is kept by."""
    versions = model.traits.versions
    return {} if versions is None else {_KEPT_BY: _in_words(versions)}


def is_other_history(model: CompiledModel, base: Metadata, *, is_carried: bool) -> bool:
    """Return whether a table has no history that goes on; raise where rows that only it holds would be lost."""
    versions, there = model.traits.versions, base.properties.get(_KEPT_BY)
    if versions is None or there == _in_words(versions):
        return False
    if is_carried and there is not None:
        raise KeptRowsCollide(model.name, f"they were kept by {there}, and are to be kept by {_in_words(versions)} now")
    coverage = None if base.mark is None else base.mark.coverage
    if is_carried and (coverage is None or coverage.keeps or coverage.held or coverage.not_followed):
        raise KeptRowsCollide(model.name, "they have no history")
    return True


def _in_words(versions: Versions) -> str:
    """Return what decides where a row is in a history: columns that are checked may change at any time."""
    keys = ", ".join(f"`{name}`" for name in sorted(folded_names(versions.key)))
    return f"{keys} and {'what a run sees' if versions.updated_at is None else f'`{folded(versions.updated_at)}`'}"
