"""The budget of rows: a batch that would write more than a run of its model may is not published."""

from lamina.compiler.graph import CompiledModel
from lamina.executor.runtime import Runtime
from lamina.planner.budget import Spent
from lamina.values.batch import Staged
from lamina.values.diagnostic import Place
from lamina.values.names import ModelName
from lamina.values.words import counted
from lamina.warehouse.failure import WarehouseFailure


class BatchTooLarge(WarehouseFailure):
    """One batch has more rows than `max_rows_written` allows in a run, and `on_breach = "stop"` refuses it.

    Why: no run could publish it, so it is a failure and not left to the next run. Readers keep the old rows. Rows that
    a `lookback` writes again count too, because every run writes them before it.
    Fix: correct the query where it gives too many rows. Where they are right, raise `max_rows_written` under
    `[budget]`, or let a batch have fewer slices with `batch_size`.
    """

    code = "L612"

    def __init__(self, model: ModelName, *, rows: int, again: int, allowed: int, place: Place | None) -> None:
        found = counted(rows, "row") + (f" after {again:,} that a lookback wrote again" if again else "")
        super().__init__(
            f"`{model}`: one batch has {found}, and `max_rows_written` allows {allowed:,} in one run",
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


def within_rows(runtime: Runtime, model: CompiledModel, staged: Staged, *, spent: Spent) -> None:
    """Raise where a batch, with what the run has written before it, is beyond the rows of its model's budget.

    It is left to the next run only where that one does not have to write the same rows before it again.
    """
    budget, rows = model.settings.budget, staged.counts.written
    allowed = budget.max_rows_written
    if allowed is None or not budget.stops or spent.rows + rows <= allowed:
        return
    if not spent.rows or not spent.has_gone_on:
        place = runtime.place_of(model, "budget")
        raise BatchTooLarge(model.name, rows=rows, again=spent.rows, allowed=allowed, place=place)
    raise BudgetUsedUp(model.name, rows=rows, allowed=allowed)
