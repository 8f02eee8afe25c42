"""What one SELECT reads, and which columns of it its names are."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lamina.compiler.query.operators import OutputColumn, Relation, SelectBlock, Term
from lamina.compiler.slices.alignment import whole
from lamina.compiler.slices.branches import renamed
from lamina.compiler.slices.cuts import (
    Carrier,
    Cut,
    Difference,
    Grid,
    Key,
    Operand,
    Read,
    off_clock,
    on_clock,
    with_nulls,
)
from lamina.compiler.slices.verdict import InputFacts

Source = tuple[str, frozenset[Key], bool]  # an output name, the columns it may be, whether it identifies their slice


class Operands:
    """Owns the tables and earlier blocks in the FROM clause of one SELECT."""

    def __init__(
        self, block: SelectBlock, cuts: Sequence[Cut], *, inputs: Mapping[str, InputFacts], grid: Grid
    ) -> None:
        self.block = block
        self.cuts = cuts
        self.inputs = inputs
        self.grid = grid
        self.using = {name for item in block.relations for name in item.using}
        self.items = tuple(self._operand(item, number) for number, item in enumerate(block.relations))

    def _operand(self, relation: Relation, number: int) -> Operand:
        later = [item.join for item in self.block.relations[number + 1 :]]
        is_nullable = relation.join in ("left", "full") or "right" in later or "full" in later
        cut = renamed(self._source(relation), relation.columns)
        if self.grid.has_local_days:
            cut = cut._replace(reads=tuple(self._with_clock(read, cut) for read in cut.reads))
        if is_nullable:
            cut = cut._replace(reads=tuple(with_nulls(read) for read in cut.reads))
        return Operand(relation.alias, relation.join, cut, is_nullable, relation.at)

    def _source(self, relation: Relation) -> Cut:
        if relation.block >= 0:
            return self.cuts[relation.block]
        if not relation.table:
            return whole(relation.columns)
        facts = self.inputs.get(relation.table)
        columns = tuple(str(name).lower() for name in facts.columns) if facts and facts.columns else None
        present = {str(name).lower() for name in facts.present} if facts else set()
        time = str(facts.time_column).lower() if facts and facts.time_column else ""
        # Of a table whose columns are not known, those that the query names are taken to be its own.
        names = {*(columns if columns is not None else self._named(relation)), *([time] if time else [])}
        carriers = {
            name: Carrier(is_time=name == time, is_present=name in present, column=name) for name in sorted(names)
        }
        dates = frozenset(str(name).lower() for name in facts.dates) if facts else frozenset()
        return whole(columns, (Read(relation.table, relation.at, self.block.file, carriers, {}),))._replace(dates=dates)

    def _with_clock(self, read: Read, cut: Cut) -> Read:
        """Return a read whose instants also give its rows' time as days on the clock of the model's zone."""
        zone = self.grid.zone
        dates = {*cut.dates, *(name for name, is_date in (cut.columns or {}).items() if is_date)}
        found = {
            on_clock(name, zone): carrier._replace(column=carrier.column and on_clock(carrier.column, zone))
            for name, carrier in read.carriers.items()
            if name not in dates and not any(carrier.around) and carrier.unit == "instant"
        }
        return read._replace(carriers={**read.carriers, **found})

    def same_slices(self, keys: Iterable[Key]) -> Iterator[Difference]:
        """Yield, for columns that may be instants, that each lies in the slice of its day on the model's clock."""
        zone = self.grid.zone
        columns = {(alias, off_clock(name, zone)) for alias, name in keys} if self.grid.has_local_days else set()
        for key in sorted(columns):
            if not self.is_date(key):
                yield Difference(key, (key[0], on_clock(key[1], zone)), 0, 0, "day")

    def _named(self, relation: Relation) -> set[str]:
        """Return the columns that this SELECT surely takes from a table."""
        terms = [term for output in self.block.outputs for term in output.terms]
        conditions = [self.block.where, *(item.on for item in self.block.relations)]
        terms += [side for on in conditions for found in on.comparisons for side in (found.left, found.right)]
        qualifiers = {relation.alias} | ({""} if len(self.block.relations) == 1 else set())
        return {term.column for term in terms if not term.bound and term.column and term.relation in qualifiers}

    def is_date(self, key: Key) -> bool:
        """Return whether a column is known to be a date; an instant on the model's clock counts as its local date."""
        column = off_clock(key[1], self.grid.zone)
        if column != key[1]:
            return not self.is_date((key[0], column))
        cuts = [item.cut for item in self.items if item.alias == key[0]][:1]
        return any((cut.columns or {}).get(key[1]) or key[1] in cut.dates for cut in cuts)

    def dates(self) -> frozenset[str]:
        """Return the output columns that are dates."""
        _, sources = self.names()
        return frozenset(
            name for name, keys, is_decided in sources if keys and is_decided and all(map(self.is_date, keys))
        )

    def resolve(self, term: Term) -> Key | None:
        """Return the operand and column a term names, None if it names none of this SELECT."""
        if term.bound or not term.column:
            return None
        alias = self._qualified(term.relation) if term.relation else self._holder(term)
        if alias is None:
            return None
        return alias, on_clock(term.column, term.zone) if term.zone else term.column

    def _holder(self, term: Term) -> str | None:
        """Return the operand that has the column of an unqualified term."""
        holders = [item for item in self.items if item.cut.names is not None and term.column in item.cut.names]
        if holders and (len(holders) == 1 or term.column in self.using):
            return holders[0].alias
        unknown = [item for item in self.items if item.cut.names is None]
        if not holders and len(unknown) == 1:
            return unknown[0].alias
        return None

    def _qualified(self, written: str) -> str | None:
        """Return the operand a qualifier names: by its alias, or by schema and table where it has no other."""
        aliases = [item.alias for item in self.items]
        if written in aliases:
            return written
        schema, _, name = written.rpartition(".")
        is_named = any(item.table.lower() == written and item.alias == name for item in self.block.relations)
        # In `a.b.c`, `a` may also be a relation with a struct `b`.
        return name if is_named and aliases.count(name) == 1 and schema not in aliases else None

    def decides(self, term: Term | None, keys: Iterable[Key]) -> bool:
        """Return whether a term is one of some columns, and still identifies its slice."""
        if term is None or term.low or term.high:
            return False
        key = self.resolve(term)
        return key is not None and key in keys and self.grid.tells(term, is_date=self.is_date(key))

    def names(self) -> tuple[tuple[str, ...] | None, list[Source]]:
        """Return the output names, and for each the columns it may be and whether it still identifies their slice."""
        names: list[str] | None = []
        sources: list[Source] = []
        for output in self.block.outputs:
            if output.star is None:
                keys = [self.resolve(term) for term in output.terms]
                found = frozenset(key for key in keys if key) if all(keys) else frozenset()
                is_alike = self.grid.is_alike(*map(self.is_date, found)) if found else True
                is_decided = is_alike and all(self.decides(term, found) for term in output.terms)
                names = None if names is None else [*names, output.name]
                sources.append((output.name, found, is_decided))
                continue
            starred = list(self._starred(output))
            # With USING or NATURAL the shared columns move to the front, so positions are not known.
            is_reordered = len(starred) > 1 and any(item.using or item.is_natural for item in self.block.relations)
            known = not is_reordered and all(item.cut.names is not None for item in starred)
            names = [*names, *self._star_names(starred, output)] if names is not None and known else None
            sources.extend(self._star_sources(starred, output))
        # Columns of one name can only be distinguished by a rename of all, which goes by position.
        twins = {name for name, count in Counter(names or ()).items() if count > 1}
        return (None if names is None else tuple(names)), [item for item in sources if item[0] not in twins]

    def _starred(self, output: OutputColumn) -> Iterator[Operand]:
        for item in self.items:
            if not item.is_hidden and output.star in ("", item.alias):
                yield item

    def _star_names(self, starred: list[Operand], output: OutputColumn) -> Iterator[str]:
        seen: set[str] = set()
        for item in starred:
            for name in item.cut.names or ():
                if name not in output.left_out and not (name in seen and name in self.using):
                    seen.add(name)
                    yield name

    def _star_sources(self, starred: list[Operand], output: OutputColumn) -> Iterator[Source]:
        for item in starred:
            carriers = {name for read in item.cut.reads for name in read.carriers}
            for name in sorted({*(item.cut.names or ()), *(item.cut.columns or ()), *carriers, *self._mentioned(item)}):
                # The day of a column is found in each SELECT from the column itself: its name may be another's there.
                is_own = off_clock(name, self.grid.zone) == name
                if is_own and name not in output.left_out:
                    yield name, frozenset({(item.alias, name)}), True

    def _mentioned(self, item: Operand) -> set[str]:
        """Return the columns of an operand that the conditions name; its schema may be unknown."""
        conditions = [self.block.where, *(relation.on for relation in self.block.relations)]
        terms = [side for on in conditions for found in on.comparisons for side in (found.left, found.right)]
        return {term.column for term in terms if (key := self.resolve(term)) and key[0] == item.alias}
