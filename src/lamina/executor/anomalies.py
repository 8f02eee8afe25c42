"""Anomalies of a staged batch: compared with what was published before; with `stop` nothing of it is published."""

from lamina.compiler.graph import CompiledModel
from lamina.executor.runtime import Runtime
from lamina.planner.anomalies import PastBatch, anomalies_of
from lamina.values.anomaly import Anomaly
from lamina.values.batch import Staged
from lamina.values.coverage import Coverage
from lamina.values.diagnostic import Place
from lamina.warehouse.failure import WarehouseFailure

# Batches that are looked through for those of the same mode, for each that is wanted.
_SEARCHED = 20


class AnomalyStopped(WarehouseFailure):
    """A batch has far more or fewer rows than usual, and `on_breach = "stop"` keeps it from being published.

    Why: the rows of the batch are further from those of earlier batches than `threshold_percent` of `[anomaly]` allows,
    or a rebuild would leave the table with far fewer rows or slices than it has. Readers keep the old rows.
    Fix: correct the data or the query and run again. Where the rows are right, set `on_breach = "warn"` or a higher
    `threshold_percent` under `[anomaly]` for one run: a change of these settings has the batch tried again.
    """

    code = "L611"

    def __init__(self, found: tuple[Anomaly, ...], place: Place | None) -> None:
        said = "; ".join(item.in_words() for item in found)
        super().__init__(
            f"`{found[0].model}`: {len(found)} {'anomaly' if len(found) == 1 else 'anomalies'}: {said}",
            kind="data_rejected",
            hint='nothing was published; if the rows are right, run once with `on_breach = "warn"` under `[anomaly]`',
            place=place,
        )
        self.found = found


def judge_batch(runtime: Runtime, model: CompiledModel, staged: Staged, *, before: Coverage) -> tuple[Anomaly, ...]:
    """Return what is unusual about a staged batch, or raise where that keeps it from being published."""
    settings = model.settings.anomaly
    if not settings.threshold_percent or staged.batch.mode == "rewrite":
        return ()
    records = runtime.store.batches(runtime.environment, model.name, limit=settings.history * _SEARCHED)
    past = tuple(PastBatch(slices=record.slices, size=record.size) for record in records)
    found = anomalies_of(model, staged, before=before, past=past)
    if any(item.stopped for item in found):
        raise AnomalyStopped(found, runtime.place_of(model, "anomaly"))
    return found
