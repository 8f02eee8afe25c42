"""How slices read each input, as the proof found it: what maps changes to slices, and what `explain` says of it."""

from collections.abc import Iterator

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.compiler.link.parameters import bound_type
from lamina.compiler.rules import (
    distinct_without_time,
    group_without_time,
    interval_limit,
    loose_placeholder,
    reach_outside_range,
    unaligned_slices,
)
from lamina.compiler.slices.cuts import Cut, off_clock
from lamina.compiler.slices.slicing import Examination
from lamina.compiler.slices.units import SECOND, UNBOUNDED, in_words
from lamina.compiler.slices.verdict import CoarseRead, InputFacts, Proven, RangeRead, Verdict
from lamina.compiler.slices.window_words import extent_in_words, span_in_words
from lamina.values.names import ColumnName, TableName, folded
from lamina.values.words import listed

LEAVES_READS = frozenset(
    module.RULE.code
    for module in (
        reach_outside_range,
        group_without_time,
        interval_limit,
        unaligned_slices,
        loose_placeholder,
        distinct_without_time,
    )
)
"""Refusals after which it is still known which rows are read: of windows, groups, limits and the like over them."""

EVERY_SLICE = "so a change in it touches every slice"


def range_reads(examination: Examination, cut: Cut) -> Iterator[RangeRead]:
    """Yield the inputs of which a slice reads only rows of a known range of one column, wherever it reads them."""
    for table, (_, reach) in sorted(examination.reaches.items()):
        facts, name = examination.inputs.get(table), _column(examination, cut, table)
        column = off_clock(name, examination.grid.zone)
        if facts is not None and column and reach.margin.is_bounded:
            known = (*(facts.columns or ()), *([facts.time_column] if facts.time_column else ()))
            spelled = next((name for name in known if name.lower() == column), ColumnName(column))
            if spelled in facts.timeless:
                continue  # a cast decides which time a text means, and nothing but the query knows its rules
            is_date = spelled in facts.dates
            yield RangeRead(facts.name, spelled, *reach.margin, is_date=is_date, counts_days=column != name)
    for table, before in sorted(examination.past.items()):
        facts = examination.inputs[table]
        if facts.time_column is not None and before < UNBOUNDED and _is_sure(examination):
            yield RangeRead(facts.name, facts.time_column, before, is_date=facts.time_column in facts.dates)


def by_range(use: InputUse, model: CompiledModel, verdict: Verdict | None) -> InputUse:
    """Return how a model reads an input, with what its verdict knows of the range."""
    found = next((read for read in verdict.reads if read.table == use.name), None) if verdict is not None else None
    before = -(-found.before // SECOND) if found is not None else use.reach_seconds
    if model.is_own(use):
        return use.replace(filters_dates=bound_type(model) == "date", reach_seconds=before)
    if found is None:
        is_whole = isinstance(verdict, Proven) and use.name in verdict.whole and _has_time_of_ranges(model, verdict)
        return use.replace(is_read_whole=True) if is_whole else use
    return use.replace(
        filter_column=found.column,
        filters_dates=found.is_date,
        counts_days=found.counts_days,
        reach_seconds=before,
        after_seconds=-(-found.after // SECOND),
    )


def _has_time_of_ranges(model: CompiledModel, verdict: Proven) -> bool:
    """Return whether the time of each row comes from inputs read by a range: what is read whole adds no row later."""
    slices, ranged = model.traits.slices, {read.table for read in verdict.reads}
    wanted = "" if slices is None else folded(slices.time_column)
    origins = {edge.input for edge in model.lineage if folded(edge.column) == wanted}
    return bool(origins) and origins <= ranged


def coarse_reads(examination: Examination, cut: Cut) -> Iterator[CoarseRead]:
    """Yield inputs of which a slice reads a part that no range of one column describes, and how to write it better."""
    is_open = {read.table: read for read in cut.reads}
    for table, (read, _) in sorted(examination.reaches.items()):
        if table not in is_open and (found := _hidden(examination, table)):
            reason, hint = found
            yield CoarseRead(TableName(table), reason, hint, at=read.at, file=read.file)
    for table, read in sorted(is_open.items()):
        facts = examination.inputs.get(table)
        if facts is not None and facts.window is not None and not facts.is_past and not facts.keeps:
            column = f"`{facts.time_column}`" if facts.time_column else "its time"
            reason = f"the query does not bound {column} by the time of the slice"
            yield CoarseRead(TableName(table), reason, _bound_hint(facts), at=read.at, file=read.file)


def whole_reads(examination: Examination, cut: Cut) -> Iterator[TableName]:
    """Yield the inputs that no bound of the slice cuts, in whatever place they are read."""
    for table in sorted({read.table for read in cut.reads}):
        facts = examination.inputs.get(table)
        if facts is not None and not facts.is_past and table not in examination.reaches:
            yield facts.name


def _hidden(examination: Examination, table: str) -> tuple[str, str] | None:
    """Return why the range of a bounded input is not one of a column, and what to do about it."""
    columns, facts = sorted(_columns(examination, table)), examination.inputs.get(table)
    texts = {name.lower() for name in facts.timeless} if facts is not None else set()
    if not all(columns):
        return "it is filtered by a value made of several columns", "filter it by one column to avoid that"
    if len(columns) > 1:
        return f"it is filtered by different columns ({listed(columns)})", "filter it by one to avoid that"
    if off_clock(columns[0], examination.grid.zone) in texts:
        hint = "filter it by a column of type date or timestamp to avoid that"
        return f"it is filtered by `{columns[0]}`, which is neither a date nor a timestamp", hint
    return None


def _bound_hint(facts: InputFacts) -> str:
    column = facts.time_column or "COLUMN"
    start = f"@start_date - INTERVAL {in_words(facts.window)}" if facts.window else "@start_date"
    end = f"@end_date + INTERVAL {in_words(facts.window_after)}" if facts.window_after else "@end_date"
    which = "" if facts.time_column else ", for its column of dates or timestamps,"
    return f"add `{column} >= {start} AND {column} < {end}`{which} to avoid that"


def words_of_reads(examination: Examination, cut: Cut) -> Iterator[str]:
    """Yield a sentence for each input of an accepted query: how far it is read, and what a change in it touches."""
    is_open = {read.table for read in cut.reads}
    coarse = {str(item.table): item for item in coarse_reads(examination, cut)}
    for table, (_, reach) in sorted(examination.reaches.items()):
        if table in is_open:
            yield f"`{table}` is read for the slice in one place, and without a bound in another"
            continue
        span = extent_in_words(*reach.margin)
        extent = f"{span}, as declared" if span else "for exactly the range of the slice"
        found = coarse.get(table)
        yield f"`{table}` is read {extent}" + (f", but {found.reason}, {EVERY_SLICE}; {found.hint}" if found else "")
    for table in sorted(is_open):
        past = examination.past.get(table)
        if past is None:
            yield _words_of_open_read(table, examination.inputs.get(table), coarse.get(table))
        elif past >= UNBOUNDED:
            yield f"`{table}` is its own past: all slices after a rebuilt one follow"
        else:
            yield f"`{table}` is its own past, read from {in_words(past)} before the slice"


def _words_of_open_read(table: str, facts: InputFacts | None, coarse: CoarseRead | None) -> str:
    if facts is not None and facts.keeps:
        return f'`{table}` is read whole; a change in it does not revisit old slices (`on_touch = "keep"`)'
    if facts is None or facts.window is None:
        return f"`{table}` is read whole: a change in it touches every slice"
    span = span_in_words(facts.window, facts.window_after)
    declared = f"`{table}` is read {span}: taken from the declared window"
    return f"{declared}; {coarse.reason}, {EVERY_SLICE}; {coarse.hint}" if coarse is not None else declared


def _column(examination: Examination, cut: Cut, table: str) -> str:
    """Return the one column that bounds every occurrence of a table; empty if there is none."""
    facts = examination.inputs.get(table)
    if facts is None or facts.is_past or any(read.table == table for read in cut.reads):
        return ""
    columns = _columns(examination, table) if _is_sure(examination) else ()
    return next(iter(columns)) if len(columns) == 1 else ""


def _is_sure(examination: Examination) -> bool:
    """Return whether every comparison with the range was read for what it is."""
    return examination.is_sure and all(item.code in LEAVES_READS for item in examination.refusals)


def _columns(examination: Examination, table: str) -> set[str]:
    """Return what bounds the occurrences of a table; an instant and its local day differ only outside the slice."""
    names, (_, reach) = examination.columns[table], examination.reaches[table]
    return names if any(reach.margin) else {off_clock(name, examination.grid.zone) for name in names}
