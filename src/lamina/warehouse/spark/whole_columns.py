"""Which columns a table has that is written whole: those of the query, and what the rows it keeps need beside them."""

from collections.abc import Callable

from lamina.compiler.graph import CompiledModel
from lamina.values.coverage import Mark
from lamina.values.drift import Drift
from lamina.values.names import ColumnName, folded
from lamina.values.schema import Schema
from lamina.values.value import Value
from lamina.warehouse.iceberg.metadata import Metadata
from lamina.warehouse.spark.drift import DriftForbidden
from lamina.warehouse.spark.evolve import (
    Evolution,
    cast_columns,
    drift_of,
    drifted_columns,
    evolve,
    former_of,
    ignored_drift_of,
    kept_columns,
    must_follow,
    without_former,
)


class Followed(Value, frozen=True):
    """The columns to write a whole table with, those of them that left the query, and what to report."""

    columns: Schema
    former: tuple[ColumnName, ...]
    drift: tuple[Drift, ...]


def whole_columns(
    model: CompiledModel,
    base: Metadata,
    columns: Schema,
    *,
    is_from_nothing: bool,
    valued: Callable[[Schema], Schema],
) -> Followed:
    """Return the columns of a table for a result; under unchanged code the model's drift policy decides.

    A column that left the query by a change of code stays only if rows to carry over have values in it, which `valued`
    knows. One that is made from nothing has the columns of the query alone.
    """
    change, policy = evolve(base.columns, columns), model.settings.on_drift
    is_drift = base.mark is not None and is_same_code(base.mark, model)
    left = former_columns(base, change) if is_drift else kept_columns(base.columns, change)
    kept = valued(left)
    names, former = tuple(column.name for column in kept), former_of(model.name, kept)
    if not is_drift and is_from_nothing:
        return Followed(columns, (), tuple(_made_from_nothing(item) for item in former))
    if not is_drift:
        return Followed((*columns, *kept), names, former)
    drift = without_former(change, left)
    if policy == "fail" and (drifted := drifted_columns(drift)):
        raise DriftForbidden(model.name, drifted)
    if policy == "ignore":
        dropped = {column.name for column in left} - set(names)
        stored = tuple(column for column in base.columns if column.name not in dropped)
        found = ignored_drift_of(model.name, drift, base.columns)
        return Followed(cast_columns(stored, must_follow(drift)), names, found)
    if is_from_nothing:
        found = drift_of(model.name, change, base.columns)
        return Followed(columns, (), tuple(_made_from_nothing(item) for item in found))
    found = drift_of(model.name, drift, base.columns)
    stays = (*columns, *kept_columns(base.columns, drift), *kept)
    return Followed(stays, names, tuple(_written_again(item) for item in found))


def is_same_code(mark: Mark, model: CompiledModel) -> bool:
    """Return whether the code of a model gives the rows that the marked batch built; layout and grid may differ."""
    built = next((logic for logic in mark.coverage.logics if logic.fingerprint == mark.fingerprint), None)
    pairs = (
        () if built is None else ((built.rows, model.rows_fingerprint), (built.gridless, model.gridless_fingerprint))
    )
    return mark.fingerprint == model.fingerprint or any(was is not None and was == now for was, now in pairs)


def former_columns(base: Metadata, change: Evolution) -> Schema:
    """Return the columns of a table that a result lacks because they left the query when it was last rebuilt."""
    known = {folded(name) for name in (base.mark.coverage.former if base.mark is not None else ())}
    return tuple(column for column in kept_columns(base.columns, change) if folded(column.name) in known)


def _written_again(item: Drift) -> Drift:
    """Return what a drift means to a table whose rows are all replaced: none of them is an older one."""
    if item.action == "kept":
        return item.replace(reason="no longer in the result, so it is null; `--full-refresh` drops it")
    return item.replace(reason="the whole table is written again")


def _made_from_nothing(item: Drift) -> Drift:
    """Return what a drift means to a table that has only the columns of its query."""
    action = "dropped" if item.action == "kept" else item.action
    return item.replace(action=action, reason="the table is created again")
