"""How slices read each input, as the proof found it: what maps changes to slices, and what `explain` says of it."""

from collections.abc import Iterator

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.compiler.link.parameters import bound_type
from lamina.compiler.slices.cuts import Cut, off_clock
from lamina.compiler.slices.slicing import Examination
from lamina.compiler.slices.units import SECOND, UNBOUNDED, in_words
from lamina.compiler.slices.verdict import InputFacts, RangeRead, Verdict
from lamina.values.names import ColumnName
from lamina.values.words import listed

LEAVES_READS = frozenset({"L415", "L416", "L417", "L418", "L420", "L424"})
"""Refusals after which it is still known which rows are read: of windows, groups, limits and the like over them."""

EVERY_SLICE = "so a change in it touches every slice"


def range_reads(examination: Examination, cut: Cut) -> Iterator[RangeRead]:
    """Yield the inputs of which a slice reads only rows of a known range of one column, wherever it reads them."""
    for table, (_, reach) in sorted(examination.reaches.items()):
        facts, name = examination.inputs.get(table), _column(examination, cut, table)
        column = off_clock(name, examination.grid.zone)
        if facts is not None and column and reach.before < UNBOUNDED:
            known = (*(facts.columns or ()), *([facts.time_column] if facts.time_column else ()))
            spelled = next((name for name in known if name.lower() == column), ColumnName(column))
            if spelled in facts.timeless:
                continue  # a cast decides which time a text means, and nothing but the query knows its rules
            is_date = spelled in facts.dates
            yield RangeRead(facts.name, spelled, reach.before, is_date=is_date, counts_days=column != name)


def by_range(use: InputUse, model: CompiledModel, verdict: Verdict | None) -> InputUse:
    """Return how a model reads an input, with what its verdict knows of the range."""
    if model.is_own(use):
        return use.replace(filters_dates=bound_type(model) == "date")
    found = next((read for read in verdict.reads if read.table == use.name), None) if verdict is not None else None
    if found is None:
        return use
    seconds = -(-found.before // SECOND)
    return use.replace(
        filter_column=found.column,
        filters_dates=found.is_date,
        counts_days=found.counts_days,
        reach_seconds=seconds,
    )


def words_of_reads(examination: Examination, cut: Cut) -> Iterator[str]:
    """Yield a sentence for each input of an accepted query: how far it is read, and what a change in it touches."""
    is_open = {read.table for read in cut.reads}
    for table, (_, reach) in sorted(examination.reaches.items()):
        if table in is_open:
            yield f"`{table}` is read for the slice in one place, and without a bound in another"
            continue
        span = in_words(reach.before)
        extent = f"from {span} before the slice, as declared" if reach.before else "for exactly the range of the slice"
        columns, facts = sorted(_columns(examination, table)), examination.inputs.get(table)
        texts = {name.lower() for name in facts.timeless} if facts is not None else set()
        if len(columns) > 1 and all(columns):
            extent += f", but by different columns ({listed(columns)}), {EVERY_SLICE}; filter it by one to avoid that"
        elif not all(columns):
            extent += f", but by a value made of several columns, {EVERY_SLICE}; filter it by one column to avoid that"
        elif off_clock(columns[0], examination.grid.zone) in texts:
            extent += f", but by `{columns[0]}`, which is no date or timestamp, {EVERY_SLICE}"
        yield f"`{table}` is read {extent}"
    for table in sorted(is_open):
        yield _words_of_open_read(table, examination.inputs.get(table))


def _words_of_open_read(table: str, facts: InputFacts | None) -> str:
    if facts is not None and facts.is_past and facts.window is None:
        return f"`{table}` is its own past: all slices after a rebuilt one follow"
    if facts is not None and facts.keeps:
        return f'`{table}` is read whole; a change in it does not revisit old slices (`on_touch = "keep"`)'
    if facts is None or facts.window is None:
        return f"`{table}` is read whole: a change in it touches every slice"
    declared = f"`{table}` is read {in_words(facts.window)} before the slice: taken from the declared window"
    if facts.is_past:
        return declared
    column = f"`{facts.time_column}`" if facts.time_column else "its time"
    return f"{declared}; the query does not bound {column} by the time of the slice, {EVERY_SLICE}"


def _column(examination: Examination, cut: Cut, table: str) -> str:
    """Return the one column that bounds every occurrence of a table; empty if there is none."""
    facts = examination.inputs.get(table)
    if facts is None or facts.is_past or any(read.table == table for read in cut.reads):
        return ""
    is_sure = examination.is_sure and all(item.code in LEAVES_READS for item in examination.refusals)
    if not is_sure:
        return ""
    columns = _columns(examination, table)
    return next(iter(columns)) if len(columns) == 1 else ""


def _columns(examination: Examination, table: str) -> set[str]:
    """Return what bounds the occurrences of a table; an instant and its local day differ only before the slice."""
    names, (_, reach) = examination.columns[table], examination.reaches[table]
    return names if reach.before else {off_clock(name, examination.grid.zone) for name in names}
