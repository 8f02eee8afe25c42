"""Cut a decision into batches: runs of consecutive units, each written by one commit, oldest first."""

from collections.abc import Callable, Iterator

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of, reads_itself
from lamina.planner.staleness import pins_of
from lamina.project.strategy import TimeInterval
from lamina.strategies.driver import driver_of
from lamina.values.batch import Batch, Pin
from lamina.values.coverage import Coverage
from lamina.values.grid import Grid, advance, floor_unit
from lamina.values.interval import Interval, merge
from lamina.values.names import CommitId
from lamina.values.plan import Build, Rebuild

# Nothing is known of a unit's size yet: a month of days in one commit is small, a year of hours is not.
_AUTO_UNITS = 30


def cut_batches(
    action: Build | Rebuild,
    model: CompiledModel,
    *,
    coverage: Coverage,
    base: str | None,
    parameters: dict[str, str],
    new_commit: Callable[[], CommitId],
) -> Iterator[Batch]:
    """Yield the batches of an action on one base; each later one is to be staged on what the one before published."""
    since = action.since if isinstance(action, Build) else None
    driver = driver_of(model)
    pins = tuple(
        Pin(input=name, position=position, since=since if name == driver else None)
        for name, position in sorted(pins_of(model, coverage).items())
    )
    for span in cut_spans(action, model):
        yield Batch(
            commit=new_commit(),
            model=model.name,
            mode=action.mode,
            slices=(span,),
            pins=pins,
            base=base,
            parameters=parameters,
        )


def cut_spans(action: Build | Rebuild, model: CompiledModel) -> Iterator[Interval]:
    """Yield the ranges of an action's batches: all in one where the table is replaced, else by the batch size."""
    grid, strategy = grid_of(model), model.settings.strategy
    if grid is None or not isinstance(strategy, TimeInterval) or action.mode == "replace_all":
        yield Interval(action.intervals[0].start, action.intervals[-1].end)
        return
    size = _AUTO_UNITS if strategy.batch_size == "auto" else strategy.batch_size
    size = 1 if reads_itself(model) else size
    for span in merge(action.intervals):
        yield from _cut(grid, span, size=size)


def _cut(grid: Grid, span: Interval, *, size: int) -> Iterator[Interval]:
    start = span.start
    while start < span.end:
        end = min(advance(grid, floor_unit(grid, start), count=size), span.end)
        yield Interval(start, end)
        start = end
