"""The budget of rows: a batch that would write more than a run of its model may is not published."""

from lamina.compiler.graph import CompiledModel
from lamina.executor.runtime import Runtime
from lamina.values.batch import Staged
from lamina.values.diagnostic import Place
from lamina.values.names import ModelName
from lamina.values.words import counted
from lamina.warehouse.failure import WarehouseFailure


class BatchTooLarge(WarehouseFailure):
    """One batch has more rows than `max_rows_written` allows in a run, and `on_breach = "stop"` refuses it.

    Why: no run could publish it, so it is a failure and not left to the next run. Readers keep the old rows.
    Fix: correct the query where it gives too many rows. Where they are right, raise `max_rows_written` under
    `[budget]`, or let a batch have fewer slices with `batch_size`.
    """

    code = "L612"

    def __init__(self, model: ModelName, *, rows: int, allowed: int, place: Place | None) -> None:
        super().__init__(
            f"`{model}`: one batch has {counted(rows, 'row')}, and `max_rows_written` allows {allowed:,} in one run",
            kind="data_rejected",
            hint="nothing was published; raise `max_rows_written` under `[budget]` if the rows are right",
            place=place,
        )
        self.rows = rows


class BudgetUsedUp(WarehouseFailure):
    """A batch would bring the rows that a run writes above `max_rows_written`; the next run begins with it.

    Why: earlier batches of the same run have written the others.
    Fix: nothing; the slices are held, and the next run builds them.
    """

    def __init__(self, model: ModelName, *, rows: int, allowed: int) -> None:
        super().__init__(f"`{model}`: `max_rows_written` allows {allowed:,} rows in one run", kind="interrupted")
        self.rows = rows
        self.allowed = allowed


def within_rows(runtime: Runtime, model: CompiledModel, staged: Staged, *, written: int) -> None:
    """Raise where a batch, with what the run has written before it, is beyond the rows of its model's budget."""
    budget, rows = model.settings.budget, staged.counts.written
    allowed = budget.max_rows_written
    if allowed is None or not budget.stops or written + rows <= allowed:
        return
    if not written:
        raise BatchTooLarge(model.name, rows=rows, allowed=allowed, place=runtime.place_of(model, "budget"))
    raise BudgetUsedUp(model.name, rows=rows, allowed=allowed)
