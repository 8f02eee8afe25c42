"""Judge whether a time_interval query gives, for a range, exactly the rows of that range of one fixed result.

Block by block: a block is whole (it does not depend on the range) or cut (its rows are those of the range, possibly
with some time before it and after it). Only then do batches of any size give the same table.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce

from lamina.compiler.query.operators import (
    NOWHERE,
    Comparison,
    QueryShape,
    Relation,
    SelectBlock,
    Term,
    Window,
)
from lamina.compiler.rules import (
    distinct_without_time,
    group_without_time,
    interval_limit,
    loose_placeholder,
    opaque_query,
    reach_outside_range,
    volatile_function,
)
from lamina.compiler.slices.alignment import Aligned, Facts, align, bound_reads, spread_keys
from lamina.compiler.slices.branches import cut_of_set, whole_units
from lamina.compiler.slices.conditions import Sides, reach_before_range, read_comparisons
from lamina.compiler.slices.correlation import Around, correlate
from lamina.compiler.slices.cuts import (
    ANYWHERE,
    EXACT,
    Anchor,
    Carrier,
    Cut,
    Difference,
    Grid,
    Key,
    Link,
    Margin,
    Operand,
    Reach,
    Read,
    coarsest,
    distinct_reads,
    unbounded,
    unit_of,
    with_nulls,
)
from lamina.compiler.slices.misfits import Misfit, misfit
from lamina.compiler.slices.operands import Operands, Source
from lamina.compiler.slices.own_past import cuts_of, judge_past, times_cut
from lamina.compiler.slices.units import UNBOUNDED, in_words
from lamina.compiler.slices.verdict import InputFacts
from lamina.values.diagnostic import Diagnostic

ALIGN_HINT = (
    "partition it by the time column, or read further than the slice, filter the result to it and declare `window`"
)


class Examination:
    """Owns what is found while the blocks of one query are judged in order."""

    def __init__(self, inputs: Mapping[str, InputFacts], grid: Grid) -> None:
        self.inputs = inputs
        self.grid = grid
        self.cuts: list[Cut] = []
        self.refusals: list[Diagnostic] = []
        self.is_sure = True  # no comparison with the range was taken for what it is not
        self.reaches: dict[str, tuple[Read, Reach]] = {}
        self.columns: dict[str, set[str]] = {}  # by table: what bounds each occurrence of it
        self.past: dict[str, int] = {}  # how far before the slice the model's own past is read

    def examine(self, shape: QueryShape) -> Cut:
        """Judge every block and return the result's."""
        for block in shape.blocks:
            start = len(self.refusals)
            cut = (
                SelectExamination(self, block).cut()
                if isinstance(block, SelectBlock)
                else cut_of_set(block, self.cuts, grid=self.grid, refusals=self.refusals)
            )
            self.cuts.append(cut._replace(reads=distinct_reads(cut.reads)))
            self.refusals[start:] = [item.replace(file=item.file or block.file) for item in self.refusals[start:]]
        return self.cuts[-1]

    def settle(self, read: Read, reach: Reach) -> None:
        """Keep the farthest reach of each table."""
        self.columns.setdefault(read.table, set()).add(reach.column)
        old = self.reaches.get(read.table)
        if old is None:
            self.reaches[read.table] = (read, reach)
        elif (farthest := old[1].margin.beyond(reach.margin)) != old[1].margin:
            self.reaches[read.table] = (read, reach._replace(margin=farthest))


class SelectExamination:
    """Judges one SELECT."""

    def __init__(self, examination: Examination, block: SelectBlock) -> None:
        self.examination = examination
        self.grid = examination.grid
        self.block = block
        self.refusals = examination.refusals
        self.operands = Operands(block, examination.cuts, inputs=examination.inputs, grid=examination.grid)
        self.outer: list[Comparison] = []
        self.comparisons = self._row_comparisons()

    def cut(self) -> Cut:
        """Judge the clauses in the order they are evaluated."""
        facts = self._facts()
        aligned = align(self.operands.items, facts)
        self.refusals.extend(aligned.refusals)
        self._opaque_clauses(aligned)
        settled, pending = bound_reads(self.operands.items, aligned, facts)
        for item in self.block.subqueries:
            around = Around(aligned.main, self.grid, self.operands.resolve, self.operands.is_date)
            found = correlate(item, self.examination.cuts[item.block], around)
            self.refusals.extend(found.refusals)
            settled += found.settled
            pending += [("", read) for read in found.pending]
            aligned = aligned._replace(main=found.main)
        for read, reach in settled:
            self.examination.settle(read, reach)
        valid = self._windows(aligned.main) if aligned.main else EXACT
        tied = [(alias, self._tied(alias, read, facts)) for alias, read in pending]
        reads = [(alias, self._over_all_rows(self._after_windows(alias, read), aligned)) for alias, read in tied]
        self._groups(aligned)
        return self._output(aligned, reads, valid)._replace(dates=self.operands.dates())

    def _facts(self) -> Facts:
        rows = Sides(self.grid, self.operands.is_date)
        row_differences, self.outer = read_comparisons(self.comparisons, self.operands.resolve, sides=rows)
        own: dict[str, Sides] = {}
        own_differences: dict[str, tuple[Difference, ...]] = {}
        for item, relation in zip(self.operands.items, self.block.relations, strict=True):
            named = tuple(self._shared(item, relation))
            if relation.join == "inner":
                row_differences.extend(named)
                continue
            target = self._nullable_alias(item)
            sides = own.setdefault(target, Sides(self.grid, self.operands.is_date))
            # What such an ON compares with a query around leaves the rows of the other side as they are.
            found, _ = read_comparisons(relation.on.comparisons, self.operands.resolve, sides=sides)
            own_differences[target] = (*found, *named)
        self._loose_bounds(own)
        bounds = {alias: sides.closed() for alias, sides in own.items()}
        closed = rows.closed()
        keys = {*closed, *(end for item in row_differences for end in (item.left, item.right))}
        keys |= {(item.alias, name) for item in self.operands.items for name in item.cut.columns or ()}
        same = tuple(self.operands.same_slices(keys))
        facts = Facts(closed, tuple(row_differences), bounds, own_differences, self.operands.is_date, same)
        for sides in (rows, *own.values()):
            self.refusals.extend(sides.refusals)
            self.examination.is_sure &= not sides.is_guessed
        return facts

    def _row_comparisons(self) -> tuple[Comparison, ...]:
        """Return what rows are compared with; cuts of the model's own past are judged on their own and left out."""
        comparisons = [*self.block.where.comparisons]
        for relation in self.block.relations:
            if relation.join == "inner":
                comparisons += relation.on.comparisons
        cuts: list[Comparison] = []
        for relation in self.block.relations:
            facts = self.examination.inputs.get(relation.table)
            if facts is not None and facts.is_past:
                own = cuts_of(relation, comparisons, self.operands.resolve)
                times = times_cut(relation, facts, own, grid=self.grid)
                reach = reach_before_range(times, self.grid)
                self.examination.past[relation.table] = max(self.examination.past.get(relation.table, 0), reach)
                self.refusals.extend(judge_past(relation, facts, times, reach=reach))
                cuts += own
        return tuple(item for item in comparisons if item not in cuts)

    def _nullable_alias(self, item: Operand) -> str:
        """Return the operand an ON clause filters: of a RIGHT JOIN of two the left one, else the joined one."""
        return self.operands.items[0].alias if item.join == "right" else item.alias

    def _shared(self, item: Operand, relation: Relation) -> Iterator[Difference]:
        """Yield the equalities of USING and NATURAL with the operands before."""
        earlier = self.operands.items[: self.operands.items.index(item)]
        names = relation.using or (tuple(item.cut.names or ()) if relation.is_natural else ())
        for name in names:
            for other in earlier:
                left, right = (other.alias, name), (item.alias, name)
                is_alike = self.grid.is_alike(self.operands.is_date(left), self.operands.is_date(right))
                if is_alike and (other.cut.names is None or name in other.cut.names):
                    yield Difference(left, right, 0, 0)

    def _loose_bounds(self, own: Mapping[str, Sides]) -> None:
        places = [*self.block.loose_bounds, *self.block.where.loose_bounds]
        places += [at for relation in self.block.relations for at in relation.on.loose_bounds]
        for alias, sides in own.items():
            foreign = [key for key in sides.found if key[0] != alias]
            places += [sides.found.pop(key).at for key in foreign]
        self.refusals.extend(loose_placeholder.finding(at=at) for at in dict.fromkeys(places))

    def _opaque_clauses(self, aligned: Aligned) -> None:
        is_cut = aligned.main is not None
        for relation, item in zip(self.block.relations, self.operands.items, strict=True):
            if relation.opaque == "tablesample":
                self.refusals.append(volatile_function.finding("TABLESAMPLE", at=relation.at))
            elif relation.opaque and (is_cut or item.cut.columns is not None):
                self.refusals.append(opaque_query.finding(relation.opaque.upper(), at=relation.at))
                self.examination.is_sure = False
        if is_cut and len([item for item in self.operands.items if item.join != "generator"]) > 2:
            for item in self.operands.items:
                if item.join in ("right", "full"):
                    clause = f"{item.join.upper()} JOIN of more than two tables"
                    self.refusals.append(opaque_query.finding(clause, at=item.at))
        for function in self.block.functions:
            if is_cut and function.kind == "unknown":
                self.refusals.append(opaque_query.finding(f"the function `{function.name}`", at=function.at))

    def _tied(self, alias: str, read: Read, facts: Facts) -> Read:
        """Note which comparisons with a query around bound an occurrence of a table."""
        exact = [item for item in facts.row_differences if item.is_equality and item.unit == "instant"]
        ties: dict[Key, Carrier] = {}
        for link in self.outer:
            inner = self.operands.resolve(link.left)
            names = (
                [name for holder, name in spread_keys(frozenset({inner}), exact) if holder == alias] if inner else []
            )
            found = [read.carriers[name] for name in sorted(names) if name in read.carriers]
            if inner and found:
                ties[inner] = found[0]
        return read._replace(ties=ties)

    def _over_all_rows(self, read: Read, aligned: Aligned) -> Read:
        """Follow an open read through an aggregate without groups: it ties rows of any time together."""
        aggregate = next((item for item in self.block.functions if item.kind == "aggregate"), None)
        facts = self.examination.inputs.get(read.table)
        if aggregate is None or self.block.keys is not None or aligned.main is not None or not self._is_alone():
            return read
        return read if facts is None or facts.is_past else unbounded(read, f"`{aggregate.name}` over all rows")

    def _is_alone(self) -> bool:
        """Return whether this SELECT surely does not depend on a query around it."""
        if self.block.subqueries or not all(item.cut.is_alone for item in self.operands.items):
            return False
        conditions = [self.block.where, *(item.on for item in self.block.relations)]
        terms = [side for on in conditions for item in on.comparisons for side in (item.left, item.right)]
        terms += [term for on in conditions for term in on.unread]
        is_known = all(item.cut.names is not None for item in self.operands.items)
        return all(term.bound or ((term.relation or is_known) and self.operands.resolve(term)) for term in terms)

    def _windows(self, main: Anchor) -> Margin:
        """Return up to how far outside the range rows are still right after every window: all see the same rows."""
        return reduce(Margin.within, (self._after_window(window, main) for window in self.block.windows), main.valid)

    def _after_window(self, window: Window, main: Anchor) -> Margin:
        valid = main.valid
        deciding = [term for term in window.partition if self.operands.decides(term, main.keys)]
        if deciding:
            return whole_units(valid, deciding)
        reach = self._reach(window, main.keys) or ANYWHERE
        left = Margin(*(side if side >= UNBOUNDED else side - far for side, far in zip(valid, reach, strict=True)))
        if min(left) >= 0:
            return whole_units(left, [item.term for item in window.order[:1]])
        words = in_words(reach.before) if left.before < 0 else f"{in_words(reach.after)} ahead"
        text = f"the window of `{window.function}` reaches outside the slice ({words})"
        self.refusals.append(reach_outside_range.finding(text, hint=ALIGN_HINT, at=window.at))
        return valid

    def _reach(self, window: Window, keys: Iterable[Key]) -> Margin | None:
        """Return how far a window ordered by time looks back and ahead; None when it is not known."""
        if not window.order:
            return None
        first = window.order[0]
        if first.is_descending or not self.operands.decides(first.term, keys):
            return None
        return Margin(*(UNBOUNDED if side is None else side for side in (window.back, window.ahead)))

    def _after_windows(self, alias: str, read: Read) -> Read:
        """Follow an open read through the windows and the LIMIT of this SELECT.

        A window ties a row to others of its partition, so only columns that all of these share still have its time,
        and the one it is ordered by, if the frame is bounded.
        """
        for window in self.block.windows:
            shared = self._carriers_among(window.partition, alias, read)
            ordered = self._carriers_among((item.term for item in window.order[:1]), alias, read)
            reach = self._reach(window, {(alias, name) for name in ordered})
            why = f"the window of `{window.function}`"
            if reach is not None and reach.is_bounded:
                framed = {name: carrier.tied_by("instant", around=reach) for name, carrier in ordered.items()}
                read = read._replace(carriers={**framed, **shared})
            elif shared:
                read = read._replace(carriers=shared, why=read.why or why)
            else:
                read = unbounded(read, why)
        return unbounded(read, "LIMIT") if self.block.limit else read

    def _carriers_among(self, terms: Iterable[Term | None], alias: str, read: Read) -> dict[str, Carrier]:
        """Return the carriers that some terms are, each counted in the units it is cut to."""
        keys = {(alias, name) for name in read.carriers}
        return {
            key[1]: read.carriers[key[1]].tied_by(unit_of(term, is_date=self.operands.is_date(key)))
            for term in terms
            if term and self.operands.decides(term, keys) and (key := self.operands.resolve(term))
        }

    def _groups(self, aligned: Aligned) -> None:
        main = aligned.main
        if main is None:
            return
        block = self.block
        aggregate = next((item for item in block.functions if item.kind == "aggregate"), None)
        if aggregate is not None or block.keys is not None:
            keys = [key for key in block.keys or () if self.operands.decides(key, main.keys)]
            clause = f"`{aggregate.name}`" if aggregate else "GROUP BY"
            if not keys or block.has_grouping_sets:
                at = block.grouped_at or (aggregate.at if aggregate else NOWHERE)
                self.refusals.append(group_without_time.finding(clause, at=at, unfit=self._misfit(block.keys or ())))
        if block.limit:
            self.refusals.append(interval_limit.finding(at=block.limit.at))

    def _misfit(self, terms: Iterable[Term | None]) -> Misfit | None:
        """Return why the first of some terms on the clock of a zone identifies no slice."""
        found = [(term, key) for term in terms if term and (key := self.operands.resolve(term))]
        unfit = (misfit(term, self.grid, is_date=self.operands.is_date(key)) for term, key in found)
        return next((item for item in unfit if item), None)

    def _output(self, aligned: Aligned, reads: list[tuple[str, Read]], valid: Margin) -> Cut:
        names, sources = self.operands.names()
        carried = tuple(self._carried(alias, read, sources) for alias, read in reads)
        links = tuple(link for item in self.outer for link in self._link(item, aligned))
        main = aligned.main
        is_whole = not self.block.has_grouping_sets  # else a column of the keys is null in some rows
        starts = {item.name: False for item in self.block.outputs if is_whole and self.grid.is_start(item.terms)}
        if starts and (main is None or any(main.margin)):  # whatever was read, these rows lie in the slice
            return Cut(names, starts, reads=carried, links=links)
        if main is None:
            return Cut(names, None, reads=carried, links=links, is_alone=self._is_alone())
        columns = self._times(aligned, sources) | starts if is_whole else {}
        if self.block.distinct and not columns:
            self.refusals.append(distinct_without_time.finding(clause="DISTINCT", at=self.block.distinct))
        return Cut(names, columns, main.margin, whole_units(valid, self.block.keys or ()), carried, links)

    def _times(self, aligned: Aligned, sources: list[Source]) -> dict[str, bool]:
        """Return the output columns that lie in the range, with whether each is a date."""
        anchors = [aligned.main] if aligned.main else []
        if self.grid.is_single:  # times that all lie in the one slice need not be equal
            anchors += [item for item in aligned.others if not any(item.margin)]
        return {
            name: all(self.operands.is_date(key) for key in keys)
            for name, keys, is_decided in sources
            if keys
            and is_decided
            and (any(keys <= item.keys for item in anchors) or (len(keys) > 1 and keys == aligned.halves))
        }

    def _carried(self, alias: str, read: Read, sources: list[Source]) -> Read:
        keys = {(alias, name) for name in read.carriers}
        carriers = {
            name: _any_of([read.carriers[column] for _, column in sorted(found)])
            for name, found, is_decided in sources
            if found and found <= keys and is_decided
        }
        found = read._replace(carriers=carriers)
        return with_nulls(found) if self.block.has_grouping_sets else found

    def _link(self, item: Comparison, aligned: Aligned) -> Iterator[Link]:
        key = self.operands.resolve(item.left)
        if key is not None:
            decides = aligned.main is not None and key in aligned.main.keys
            yield Link(key, item.left, item.comparator, item.right, self.operands.is_date(key), decides)


def _any_of(carriers: list[Carrier]) -> Carrier:
    """Return what is known of a value that may be any of some columns."""
    unit = coarsest(*(item.unit for item in carriers))
    is_time, is_present = all(item.is_time for item in carriers), all(item.is_present for item in carriers)
    columns = {item.column for item in carriers}
    column = columns.pop() if len(columns) == 1 else ""
    return Carrier(reduce(Margin.beyond, (item.around for item in carriers)), unit, is_time, is_present, column)
