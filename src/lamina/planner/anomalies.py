"""Which batches are unlike the ones before them, and which rebuilds would leave far less than there is: pure."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.recover import is_foreign
from lamina.planner.segments import covered
from lamina.values.anomaly import Anomaly, Metric
from lamina.values.batch import Batch, BatchSize, Counts, Staged
from lamina.values.coverage import Coverage
from lamina.values.grid import Grid, count_units, floor_unit
from lamina.values.interval import Interval, intersect, merge
from lamina.values.value import Value


class PastBatch(Value, frozen=True):
    """What is known of a published batch; no size: it is not known."""

    slices: tuple[Interval, ...]
    size: BatchSize | None


def size_of(batch: Batch, counts: Counts) -> BatchSize | None:
    """Return how many rows the query of a batch gave; a rewrite asks no query."""
    if batch.mode == "rewrite":
        return None
    given = counts.inserted + counts.replaced + counts.duplicate + counts.rejected + counts.quarantined
    given += counts.reopened + counts.unchanged
    return BatchSize(mode=batch.mode, is_partial=any(pin.since is not None for pin in batch.pins), rows=given)


def anomalies_of(
    model: CompiledModel, staged: Staged, *, before: Coverage, past: tuple[PastBatch, ...]
) -> tuple[Anomaly, ...]:
    """Return what is unusual about a staged batch; `past` are the batches of the model, newest first."""
    settings, size = model.settings.anomaly, size_of(staged.batch, staged.counts)
    if not settings.threshold_percent or size is None:
        return ()
    found = (
        _unlike_others(model, staged.batch, size, past),
        _fewer(model, staged.batch, "table_rows", _table_rows(staged, before)),
        _fewer(model, staged.batch, "covered_slices", _covered_units(model, staged.batch, before)),
    )
    return tuple(item for item in found if item is not None)


def _unlike_others(model: CompiledModel, batch: Batch, size: BatchSize, past: tuple[PastBatch, ...]) -> Anomaly | None:
    """Compare the rows of each unit with the mean of earlier batches that read and wrote in the same way."""
    sizes = ((item.slices, item.size) for item in past if item.size is not None and is_alike(item.size, size))
    rows = (_rows_by_unit(model, slices, known.rows) for slices, known in sizes)
    known = [found for found in rows if found is not None][: model.settings.anomaly.history]
    observed = _rows_by_unit(model, batch.slices, size.rows)
    if not known or observed is None:
        return None
    return _judged(model, batch, "row_count", observed=observed, baseline=sum(known) / len(known))


def is_alike(one: BatchSize, other: BatchSize) -> bool:
    """Say whether two batches wrote in the same mode, and read their driver to the same extent."""
    return (one.mode, one.is_partial) == (other.mode, other.is_partial)


def _rows_by_unit(model: CompiledModel, slices: tuple[Interval, ...], rows: int) -> float | None:
    """Return the rows of one unit of time, or of the whole batch; None where a unit is not finished."""
    grid = grid_of(model)
    if grid is None:
        return float(rows)
    bounds = {bound for span in slices for bound in (span.start, span.end)}
    if any(floor_unit(grid, bound) != bound for bound in bounds):
        return None
    units = _units(grid, slices)
    return rows / units if units else None


def _units(grid: Grid, spans: tuple[Interval, ...]) -> int:
    return sum(count_units(grid, span) for span in spans)


def _table_rows(staged: Staged, before: Coverage) -> tuple[int, int] | None:
    """Return the rows of a table before and after a batch that reads everything, as far as they are lamina's."""
    is_whole = staged.batch.mode not in ("replace_slices", "append")
    if not is_whole or staged.rows_before is None or staged.rows_after is None or is_foreign(before):
        return None
    return staged.rows_before, staged.rows_after


def _covered_units(model: CompiledModel, batch: Batch, before: Coverage) -> tuple[int, int] | None:
    """Return how many slices are built before and after the whole table is replaced."""
    grid = grid_of(model)
    if grid is None or batch.mode != "replace_all":
        return None
    there = covered(before)
    return _units(grid, there), _units(grid, merge((*batch.slices, *intersect(there, batch.carried))))


def _fewer(model: CompiledModel, batch: Batch, metric: Metric, pair: tuple[int, int] | None) -> Anomaly | None:
    """Judge a number that may grow as it likes."""
    if pair is None or pair[1] >= pair[0]:
        return None
    return _judged(model, batch, metric, observed=pair[1], baseline=pair[0])


def _judged(model: CompiledModel, batch: Batch, metric: Metric, *, observed: float, baseline: float) -> Anomaly | None:
    """Return the anomaly of a number that is too far from its baseline; from nothing everything is far."""
    settings = model.settings.anomaly
    deviation = abs(observed - baseline) / baseline * 100 if baseline else 0.0
    if deviation <= settings.threshold_percent:
        return None
    return Anomaly(
        model=model.name,
        metric=metric,
        observed=_shown(observed),
        baseline=_shown(baseline),
        deviation_percent=round(deviation, 1),
        threshold_percent=settings.threshold_percent,
        stopped=settings.stops,
        intervals=batch.slices,
    )


def _shown(value: float) -> int | float:
    """Return a whole number as one, any other with two digits."""
    return int(value) if value == int(value) else round(value, 2)
