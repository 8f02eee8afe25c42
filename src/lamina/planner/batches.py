"""Cut a decision into batches: runs of consecutive units, each written by one commit, oldest first."""

from collections.abc import Callable, Iterator

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.kept import carried_ranges, last_own_version
from lamina.planner.staleness import pins_of
from lamina.planner.time_position import time_read
from lamina.values.batch import Batch, Pin
from lamina.values.coverage import Coverage
from lamina.values.grid import Grid, advance, floor_unit
from lamina.values.interval import Interval, merge
from lamina.values.names import CommitId
from lamina.values.plan import Build, Rebuild

# What is read of so little is written at once; of more, or of an unknown size, a month of days at a time.
_SMALL_BYTES = 2 * 2**30
_AUTO_UNITS = 30


def cut_batches(
    action: Build | Rebuild,
    model: CompiledModel,
    *,
    coverage: Coverage,
    base: str | None,
    parameters: dict[str, str],
    new_commit: Callable[[], CommitId],
    is_from_nothing: bool,
    carries_rows: bool,
    input_bytes: int | None = None,
) -> Iterator[Batch]:
    """Yield the batches of an action on one base; each later one is to be staged on what the one before published."""
    since = action.since if isinstance(action, Build) else None
    driver = model.driver
    kept = {use.name for use in model.inputs if use.on_touch == "keep"}
    loaded = tuple(cursor.position for cursor in coverage.loaded if cursor.input == driver)
    pins = tuple(
        Pin(
            input=name,
            position=position,
            since=since if name == driver else None,
            is_past_changes=since is not None and name == driver and name in kept,
            loaded=loaded if since is not None and name == driver else (),
        )
        for name, position in sorted(pins_of(model, coverage).items())
    )
    for span in cut_spans(action, model, input_bytes=input_bytes):
        yield Batch(
            commit=new_commit(),
            model=model.name,
            mode=action.mode,
            # A rewrite takes the rows that are there, also where nothing is built between them.
            slices=action.intervals if action.mode == "rewrite" else (span,),
            pins=pins,
            base=base,
            parameters=parameters,
            is_from_nothing=is_from_nothing,
            carried=carried_ranges(model, coverage, span) if carries_rows and action.mode == "replace_all" else (),
            carried_from=last_own_version(coverage) if carries_rows else None,
            by_time=time_read(model, coverage, action.mode, parameters),
        )


def cut_spans(action: Build | Rebuild, model: CompiledModel, *, input_bytes: int | None = None) -> Iterator[Interval]:
    """Yield the ranges of an action's batches: all in one where the table is replaced, else by the batch size."""
    grid, slices = grid_of(model), model.traits.slices
    if grid is None or slices is None or action.mode in ("replace_all", "rewrite"):
        yield Interval(action.intervals[0].start, action.intervals[-1].end)
        return
    is_small = input_bytes is not None and input_bytes <= _SMALL_BYTES
    is_auto = slices.batch_size == "auto"
    if is_auto and is_small and not model.reads_itself:
        yield from merge(action.intervals)
        return
    size = slices.batch_size if isinstance(slices.batch_size, int) else _AUTO_UNITS
    size = 1 if model.reads_itself else size
    for span in merge(action.intervals):
        yield from _cut(grid, span, size=size)


def _cut(grid: Grid, span: Interval, *, size: int) -> Iterator[Interval]:
    start = span.start
    while start < span.end:
        end = min(advance(grid, floor_unit(grid, start), count=size), span.end)
        yield Interval(start, end)
        start = end
