"""Keys that are unique in a whole table: which rows count, and what is known of a table before and after a batch."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.relayout import as_current
from lamina.planner.staleness import stale_ranges
from lamina.project.model import CheckSettings
from lamina.values.batch import Batch, CheckResult
from lamina.values.coverage import Coverage, ProvenKey
from lamina.values.interval import Interval, intersect, subtract


def replaced_later(
    model: CompiledModel, coverage: Coverage, batch: Batch, *, lifetime: Interval
) -> tuple[Interval, ...]:
    """Return the slices beside a batch whose rows do not count, because they will be replaced.

    What lies outside of the model's time is not due again, and what `keep` saved is not built again: their rows stay.
    """
    if batch.mode != "replace_slices":
        return ()
    stale = stale_ranges(model, as_current(model, coverage))
    return subtract(intersect(stale, (lifetime,)), (*coverage.held, *batch.slices))


def unproven_keys(
    model: CompiledModel, coverage: Coverage, batch: Batch, *, besides: tuple[Interval, ...]
) -> tuple[CheckSettings, ...]:
    """Return the keys that must be looked for in all rows which count: some of those were never compared."""
    known = {
        (key.columns, key.where) for key in coverage.proven if not subtract(key.besides, (*besides, *batch.slices))
    }
    return tuple(check for check in _table_keys(model) if _identity(check) not in known)


def proven_keys(
    model: CompiledModel, results: tuple[CheckResult, ...], *, besides: tuple[Interval, ...]
) -> tuple[ProvenKey, ...]:
    """Return what the checks of a batch, in the order they are declared, have shown of the whole table."""
    found = zip(model.settings.checks, results, strict=True)
    sound = {_identity(check) for check, result in found if check.is_table_key and result.observed == 0}
    ordered = sorted(sound, key=lambda item: (item[0], item[1] or ""))
    return tuple(ProvenKey(columns=columns, where=where, besides=besides) for columns, where in ordered)


def _table_keys(model: CompiledModel) -> tuple[CheckSettings, ...]:
    return tuple(check for check in model.settings.checks if check.is_table_key)


def _identity(check: CheckSettings) -> tuple[tuple[str, ...], str | None]:
    return tuple(sorted(check.names)), check.where
