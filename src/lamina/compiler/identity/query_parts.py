"""What each output column of a query depends on, and what decides its rows, as hashes to compare two versions by."""

import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

from sqlglot import exp

from lamina.compiler.identity.canonical import walk_query
from lamina.compiler.identity.canonical_walk import END, ROWS, Walk, digest
from lamina.compiler.query.occurrences import Block
from lamina.values.names import ColumnName

GENERATORS = (exp.UDTF, exp.Explode, exp.Inline, exp.Stack, exp.JSONTable)

CTE_NUMBER = re.compile(r"(?<=^\(Table @)\d+$|(?<=^=)\d+(?=\()")  # a CTE more shifts them, yet changes no part

Part = tuple[int, int]  # a block and a position in it, or ROWS


class QueryParts(NamedTuple):
    """Hashes of a query's parts; `star` is for the columns that are not known without the schemas it reads."""

    columns: dict[ColumnName, str]
    rows: str
    star: str | None


def query_parts(tree: Any, inlined: Mapping[str, Any]) -> QueryParts:
    """Take a query apart; `inlined` are queries to be read in place of relations, by their name as written."""
    walk = walk_query(tree, {}, inlined=inlined)
    parts = _Parts(walk)
    parts.collect()
    root = parts.seen_through(walk.blocks[0])
    try:
        hashes = parts.hashes()
    except CycleError:  # recursive: every column depends on every other
        whole = digest(walk.out)
        return QueryParts({ColumnName(name): whole for name in root.names}, whole, whole)
    named = {position: name for position, name in enumerate(root.names) if not _is_star(root, position)}
    stars = [hashes[root.number, position] for position in range(len(root.names)) if position not in named]
    return QueryParts(
        columns={ColumnName(name): hashes[root.number, position] for position, name in named.items()},
        rows=hashes[0, ROWS],
        star=digest(stars) if stars else None,
    )


class _Parts:
    """The words of a query sorted by the part they belong to."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.words: dict[Part, list[str]] = {}
        self.needs: dict[Part, list[Part]] = {}
        for block in walk.blocks:
            if block.is_read:
                for position in range(ROWS, len(block.names)):
                    self.words[block.number, position] = []
                    self.needs[block.number, position] = []

    def collect(self) -> None:
        """Give every word and every dependency to its part."""
        walk = self.walk
        slots = {block.slot for block in walk.blocks if block.is_read}  # names of columns belong to no part
        owners: list[Part] = [(0, ROWS)]
        marks, reads = iter(walk.marks), iter(walk.reads)
        mark, read = next(marks, None), next(reads, None)
        for place, word in enumerate(walk.out):
            while mark is not None and mark[0] == place:
                self._move(owners, mark[1], mark[2])
                mark = next(marks, None)
            while read is not None and read[0] == place:
                self._need(owners[-1], read[1], read[2])
                read = next(reads, None)
            if place not in slots:
                self.words[owners[-1]].append(CTE_NUMBER.sub("", word))
        for left, right, is_by_row in walk.set_operations:
            self._join_branches(left, right, is_by_row)
        for block in walk.blocks:
            if block.is_read and block.query.__class__ is exp.Select:
                self._rows_by_outputs(block)

    def hashes(self) -> dict[Part, str]:
        """Return the hash of every part, those it needs included."""
        found: dict[Part, str] = {}
        for part in TopologicalSorter(self.needs).static_order():
            found[part] = digest([*self.words[part], *(found[need] for need in self.needs[part])])
        return found

    def seen_through(self, block: Block) -> Block:
        """Return the block whose columns a query ends with, where it ends with just a star over another one."""
        while True:
            items = block.query.args.get("expressions") or []
            needs = {need[0] for need in self.needs.get((block.number, 0), ())}
            is_bare_star = len(items) == 1 and items[0].__class__ is exp.Star and not any(items[0].args.values())
            if not is_bare_star or len(needs) != 1 or block.query.args.get("joins"):
                return block
            inner = self.walk.blocks[needs.pop()]
            if block.query.args.get("laterals") or (inner.positions is None and not _has_star(inner)):
                return block
            block = inner

    def _move(self, owners: list[Part], number: int, position: int) -> None:
        if not self.walk.blocks[number].is_read:
            return
        if position == END:
            owners.pop()
        elif owners[-1][0] == number and len(owners) > 1:
            owners[-1] = (number, position)
        else:
            if owners[-1][0] != number:
                self._need(owners[-1], number, ROWS)
            owners.append((number, position))

    def _need(self, owner: Part, number: int, position: int | None) -> None:
        if not self.walk.blocks[number].is_read:
            return
        if position is not None:
            wanted = [position]
        elif owner[0] == number:
            wanted = self._own_position(owner, number)
        else:
            wanted = list(range(len(self.walk.blocks[number].names)))
            self.words[owner].append("\x1f".join(self.walk.blocks[number].names))
        self.needs[owner] += [(number, item) for item in wanted if (number, item) != owner]

    def _own_position(self, owner: Part, number: int) -> list[int]:
        # An output named in the same SELECT: ORDER BY it, or build another output on it.
        positions = self.walk.blocks[number].positions or {}
        return [position for position in positions.values() if owner[1] == ROWS or position < owner[1]]

    def _join_branches(self, left: int, right: int, is_by_row: bool) -> None:
        blocks = self.walk.blocks
        if not (blocks[left].is_read and blocks[right].is_read) or left == right:
            return
        for position in range(min(len(blocks[left].names), len(blocks[right].names))):
            self.needs[left, position].append((right, position))
        if is_by_row:
            self.needs[left, ROWS] += [(left, position) for position in range(len(blocks[left].names))]

    def _rows_by_outputs(self, block: Block) -> None:
        args, part = block.query.args, (block.number, ROWS)
        everything = [(block.number, position) for position in range(len(block.names))]
        group, order = args.get("group"), args.get("order")
        by_place = [
            *(group.expressions if group else ()),
            *(item.this for item in (order.expressions if order else ())),
        ]
        if args.get("distinct") or (group and group.args.get("all")) or any(_is_number(item) for item in by_place):
            self.needs[part] += everything
        for position, item in enumerate(args["expressions"]):
            if item.find(*GENERATORS) is not None:
                self.needs[part].append((block.number, position))
        if group is None and any(_aggregates(item) for item in args["expressions"]):
            self.words[part].append("one row")


def _is_star(block: Block, position: int) -> bool:
    items = block.query.args.get("expressions") or []
    return position < len(items) and items[position].is_star


def _has_star(block: Block) -> bool:
    return any(_is_star(block, position) for position in range(len(block.names)))


def _is_number(item: Any) -> bool:
    return item.__class__ is exp.Literal and not item.is_string


def _aggregates(item: Any) -> bool:
    return any(found.parent.__class__ is not exp.Window for found in item.find_all(exp.AggFunc))
