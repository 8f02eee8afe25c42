"""What one SELECT reads, and which columns of it its names are."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lamina.compiler.alignment import whole
from lamina.compiler.branches import renamed
from lamina.compiler.cuts import Carrier, Cut, Grid, Key, Operand, Read, with_nulls
from lamina.compiler.operators import OutputColumn, Relation, SelectBlock, Term
from lamina.compiler.verdict import InputFacts

Source = tuple[str, frozenset[Key], bool]  # an output name, the columns it may be, whether it tells their slice


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
        carriers = {name: Carrier(is_present=name in present) for name in columns or ()}
        if facts and facts.time_column:
            name = str(facts.time_column).lower()
            carriers[name] = Carrier(is_time=True, is_present=name in present)
        dates = frozenset(str(name).lower() for name in facts.dates) if facts else frozenset()
        return whole(columns, (Read(relation.table, relation.at, self.block.file, carriers, {}),))._replace(dates=dates)

    def is_date(self, key: Key) -> bool:
        """Tell whether a column is known to be a date."""
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
        if term.relation:
            alias = self._qualified(term.relation)
            return (alias, term.column) if alias is not None else None
        holders = [item for item in self.items if item.cut.names is not None and term.column in item.cut.names]
        if holders and (len(holders) == 1 or term.column in self.using):
            return holders[0].alias, term.column
        unknown = [item for item in self.items if item.cut.names is None]
        if not holders and len(unknown) == 1:
            return unknown[0].alias, term.column
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
        """Tell whether a term is one of some columns, and still tells its slice."""
        if term is None or term.low or term.high:
            return False
        key = self.resolve(term)
        return key is not None and key in keys and self.grid.decides(term.unit, is_date=self.is_date(key))

    def names(self) -> tuple[tuple[str, ...] | None, list[Source]]:
        """Return the output names, and for each the columns it may be and whether it still tells their slice."""
        names: list[str] | None = []
        sources: list[Source] = []
        for output in self.block.outputs:
            if output.star is None:
                keys = [self.resolve(term) for term in output.terms]
                found = frozenset(key for key in keys if key) if all(keys) else frozenset()
                is_decided = all(self.decides(term, found) for term in output.terms)
                names = None if names is None else [*names, output.name]
                sources.append((output.name, found, is_decided))
                continue
            starred = list(self._starred(output))
            # With USING or NATURAL the shared columns move to the front, so positions are not known.
            is_reordered = len(starred) > 1 and any(item.using or item.is_natural for item in self.block.relations)
            known = not is_reordered and all(item.cut.names is not None for item in starred)
            names = [*names, *self._star_names(starred, output)] if names is not None and known else None
            sources.extend(self._star_sources(starred, output))
        # Columns of one name can only be told apart by a rename of all, which goes by position.
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
                if name not in output.left_out:
                    yield name, frozenset({(item.alias, name)}), True

    def _mentioned(self, item: Operand) -> set[str]:
        """Return the columns of an operand that the conditions name; its schema may be unknown."""
        conditions = [self.block.where, *(relation.on for relation in self.block.relations)]
        terms = [side for on in conditions for found in on.comparisons for side in (found.left, found.right)]
        keys = [self.resolve(term) for term in terms]
        return {key[1] for key in keys if key and key[0] == item.alias}
