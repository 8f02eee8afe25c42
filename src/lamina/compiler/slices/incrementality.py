"""Prove or refuse that building a model slice by slice equals a recompute, and say why."""

from collections.abc import Iterator, Mapping

from lamina.compiler.query.operators import QueryShape, SelectBlock
from lamina.compiler.rules import (
    ambiguous_driver,
    group_without_time,
    inexact_range,
    loose_placeholder,
    one_sided_range,
    reach_outside_range,
    short_window,
    unaligned_slices,
    underived_time,
    unfiltered_input,
    volatile_function,
)
from lamina.compiler.slices.cuts import Cut, Grid, Margin, Reach, Read
from lamina.compiler.slices.misfits import misfit
from lamina.compiler.slices.range_reads import coarse_reads, range_reads, whole_reads, words_of_reads
from lamina.compiler.slices.row_local import judge_row_local, side_inputs
from lamina.compiler.slices.slicing import Examination
from lamina.compiler.slices.units import UNBOUNDED
from lamina.compiler.slices.verdict import InputFacts, Proven, Refused, Verdict
from lamina.compiler.slices.window_words import declared_in_words, extent_in_words, span_in_words, window_setting
from lamina.strategies.traits import Driver, Slices, Traits, Upsert
from lamina.values.diagnostic import Diagnostic

RUN_PARAMETERS = frozenset({"execution_time", "run_id"})
UNIT_WISE = frozenset(module.RULE.code for module in (group_without_time, unaligned_slices, loose_placeholder))
"""Refusals about several slices in one batch; with `batch_size = 1` the result alone decides."""
ONE_SLICE_HINT = ", or set `batch_size = 1`"


def judge(traits: Traits, shape: QueryShape, *, inputs: Mapping[str, InputFacts], zone: str, is_dated: bool) -> Verdict:
    """Judge a composed shape, whose relations carry the names of `inputs`; `is_dated` where its time is a date."""
    if traits.slices is not None:
        is_single = traits.slices.batch_size == 1
        grid = Grid(unit=traits.slices.unit, zone=zone, is_single=is_single, is_dated=is_dated)
        return _slices(traits.slices, shape, inputs=inputs, grid=grid)
    if traits.versions is not None and (refusals := tuple(_volatile(shape))):
        return Refused(refusals)  # each run would see other values, and keep them as versions
    if traits.driver is None:
        return Proven((traits.in_words,))
    verdict = _append(traits.driver, shape, inputs)
    return verdict if traits.upsert is None else _upserted(verdict, traits.upsert)


def _append(declared: Driver, shape: QueryShape, inputs: Mapping[str, InputFacts]) -> Verdict:
    driver = next((facts.name for facts in inputs.values() if facts.is_driver), None)
    if driver is None:
        names = sorted({facts.name for facts in inputs.values()})
        return Refused((ambiguous_driver.finding(tuple(names), named=declared.named),))
    refusals = (*_volatile(shape), *judge_row_local(shape, driver))
    if refusals:
        return Refused(refusals)
    steps = [f"`{driver}` is the driver: a build reads the rows appended to it since the last one"]
    steps += [f"`{name}` is read whole beside it, as of each build" for name, _, _ in side_inputs(shape, driver)]
    steps.append(f"every clause over `{driver}` works row by row: filters, projections, joins that keep its rows")
    steps.append(
        "so the result over old and new rows is the two results put together, and appending equals a recompute"
    )
    return Proven((*steps, *_as_of(shape)))


def _upserted(verdict: Verdict, upsert: Upsert) -> Verdict:
    """Return the verdict on rows that are appended, for rows that are merged by key."""
    if isinstance(verdict, Refused):
        return verdict
    keys, order = (", ".join(f"`{name}`" for name in names) for names in (upsert.key, upsert.order_by))
    last = (
        f"the row with the highest {order} wins, in whatever batch it comes"
        if order
        else "the row that comes last wins"
    )
    return Proven((*verdict.steps[:-1], f"rows are merged by {keys}: {last}"))


def _slices(slices: Slices, shape: QueryShape, *, inputs: Mapping[str, InputFacts], grid: Grid) -> Verdict:
    examination = Examination(inputs, grid)
    cut = examination.examine(shape)
    refusals = [*_volatile(shape), *examination.refusals, *_unbounded_reads(cut.reads, inputs)]
    unit_wise = [item for item in refusals if grid.is_single and item.code in UNIT_WISE]
    refusals = [item for item in refusals if item not in unit_wise]
    if not refusals and (outside := list(_result(cut, slices, shape, grid=grid))):
        refusals = [
            *outside,
            *(item.replace(hint=(item.hint or "").removesuffix(ONE_SLICE_HINT)) for item in unit_wise),
        ]
    # Asked of one-slice batches too: how far a slice reads decides which changes make it stale.
    if not refusals:
        refusals += [item for read, reach in examination.reaches.values() for item in _beyond(read, reach, inputs)]
    reads = tuple(range_reads(examination, cut))
    if refusals:
        return Refused(tuple(dict.fromkeys(refusals)), reads)
    coarse = tuple(coarse_reads(examination, cut))
    steps, whole = _slice_steps(slices, shape, examination, cut), whole_reads(examination, cut)
    return Proven(tuple(steps), reads, coarse, tuple(whole))


def _volatile(shape: QueryShape) -> Iterator[Diagnostic]:
    for use in shape.parameters:
        if use.name in RUN_PARAMETERS:
            yield volatile_function.finding(f"`@{use.name}`", at=use.at).replace(file=use.file)
    for block in shape.blocks:
        for function in block.functions if isinstance(block, SelectBlock) else ():
            if function.kind == "volatile":
                yield volatile_function.finding(f"`{function.name}`", at=function.at).replace(file=block.file)


def _as_of(shape: QueryShape) -> tuple[str, ...]:
    if any(use.name == "as_of" for use in shape.parameters):
        return ("`@as_of` is read: everything is rebuilt when its day changes",)
    return ()


def _result(cut: Cut, slices: Slices, shape: QueryShape, *, grid: Grid) -> Iterator[Diagnostic]:
    at = shape.blocks[-1].at
    column = str(slices.time_column).lower()
    if cut.columns is None:
        yield one_sided_range.finding(column, missing="lower and no upper bound", at=at)
        return
    if cut.margin.before >= UNBOUNDED:
        yield one_sided_range.finding(column, missing="lower bound", at=at)
    elif any(cut.margin):
        found = f"the result has rows {extent_in_words(*cut.margin)}"
        yield inexact_range.finding(found, column=column, kind="date", at=at)
    elif cut.names is not None and column not in cut.names:
        return  # said by the rule about missing time columns
    elif column not in cut.columns:
        refusal = _underived(column, shape, grid)
        yield refusal.replace(hint=f"{refusal.hint}, or `@start_date`") if slices.batch_size == 1 else refusal

    elif cut.columns[column] and not grid.is_dated and grid.zone != "UTC":
        reason = f"has days of `{grid.zone}`, but is not of type date"
        yield underived_time.finding(column, reason=reason, at=at).replace(hint="use `to_date(...)`")


def _underived(column: str, shape: QueryShape, grid: Grid) -> Diagnostic:
    """Return the refusal of a time column that is not the filtered one; a zone that does not fit is named."""
    last = shape.blocks[-1]
    outputs = last.outputs if isinstance(last, SelectBlock) else ()
    terms = [term for item in outputs if item.name == column for term in item.terms]
    unfit = next((found for term in terms if (found := misfit(term, grid, is_date=True))), None)
    if unfit is None:
        return underived_time.finding(column, reason="is not the filtered column", at=last.at)
    refusal = underived_time.finding(column, reason=f"is not the filtered column: {unfit.text}", at=last.at)
    return refusal.replace(hint=unfit.hint)


def _unbounded_reads(reads: tuple[Read, ...], inputs: Mapping[str, InputFacts]) -> Iterator[Diagnostic]:
    for read in reads:
        facts = inputs.get(read.table)
        if facts is None or facts.time_column is None or facts.keeps or facts.is_past:
            continue  # how far its own past reaches is judged where it is read
        if read.why:
            text = f"{read.why} reads `{read.table}` without bound"
            hint = (
                "filter, join, group or partition it by its time, or bound it by RANGE BETWEEN INTERVAL ... PRECEDING"
            )
            yield reach_outside_range.finding(text, hint=hint, at=read.at).replace(file=read.file)
        elif facts.window is None:
            refusal = unfiltered_input.finding(facts.name, column=facts.time_column, at=read.at)
            yield refusal.replace(file=read.file)


def _beyond(read: Read, found: Reach, inputs: Mapping[str, InputFacts]) -> Iterator[Diagnostic]:
    facts, reach = inputs.get(read.table), found.margin
    if not any(reach) or facts is None or facts.keeps or facts.is_past:
        return
    if reach.before >= UNBOUNDED:
        text = f"{read.why or 'the query'} reads `{read.table}` without bound before the slice"
        hint = f'bound it by `@start_date - INTERVAL ...` and declare `window` under `[inputs."{read.table}"]`'
        yield reach_outside_range.finding(text, hint=hint, at=read.at).replace(file=read.file)
    elif facts.window is None:
        text = f"`{read.table}` is read {span_in_words(*reach)}"
        hint = f'declare `{window_setting(*reach)}` under `[inputs."{read.table}"]`'
        yield reach_outside_range.finding(text, hint=hint, at=read.at).replace(file=read.file)
    elif facts.window < reach.before or facts.window_after < reach.after:
        declared = declared_in_words(facts.window, facts.window_after)
        setting = window_setting(*reach.beyond(Margin(facts.window, facts.window_after)))
        span = span_in_words(*reach)
        refusal = short_window.finding(facts.name, declared=declared, reach=span, setting=setting, at=read.at)
        yield refusal.replace(file=read.file)


def _slice_steps(slices: Slices, shape: QueryShape, examination: Examination, cut: Cut) -> Iterator[str]:
    column = slices.time_column
    yield from words_of_reads(examination, cut)
    if slices.batch_size == 1:
        yield "each batch is one slice (`batch_size = 1`), so rows of two slices never meet"
        yield f"every row has `{column}` in the slice"
    else:
        yield f"groups, windows, joins and DISTINCT keep `{column}` apart, so rows of two slices never meet"
        yield f"every row has `{column}` in the range, so batches of any size give the same table as a recompute"
    yield from _as_of(shape)
