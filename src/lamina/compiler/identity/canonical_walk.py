"""One pass over a query tree: the stack, the words emitted so far, and who reads which column of which inner query."""

from collections import deque
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

from sqlglot import exp

from lamina.compiler.query.occurrences import Block, Definition, Scope, Visible, define

Relations = Mapping[str, str]  # a relation as written, in lower case, to its full name
Handlers = Mapping[type, Callable[["Walk", Any], None]]  # by class of node; `object` for all others

ROWS, END = -1, -2  # instead of a position: what decides the rows of a block, its end


class Walk:
    """One pass over a query that emits its form as words; iterative, since chains of operators can be deep."""

    def __init__(self, handlers: Handlers, relations: Relations, *, inlined: Mapping[str, Any]) -> None:
        self._handlers = handlers
        self.relations = relations
        self.out: list[str] = []
        self.blocks: list[Block] = []
        self.reads: list[tuple[int, int, int | None]] = []  # place in `out`, block, position or ROWS; None: any column
        self.marks: list[tuple[int, int, int]] = []  # place in `out` where a position, ROWS or the END of a block is
        self.variables: list[dict[str, int]] = []  # of the lambdas around the current node, by name
        self.set_operations: list[tuple[int, int, bool]] = []  # both blocks, whether it looks at whole rows
        self._block_of: dict[int, Block] = {}
        self._pending: deque[Definition] = deque()
        self._numbered = 0
        self._stack: list[Any] = []
        definitions = {name: Definition(tree, 0) for name, tree in inlined.items()}
        self._inlined = definitions
        self._outermost = Visible(definitions, 1, None)
        self.scope = Scope(None, self._outermost, block=None)

    def run(self, tree: Any) -> list[str]:
        """Return the words of a whole query."""
        root = self.block_of(tree)
        root.names_matter = root.is_read = True
        self._drain(tree)
        while self._pending:
            definition = self._pending.popleft()
            self.out.append(f"={definition.number}({','.join(definition.columns)}")
            self.scope = Scope(None, definition.visible or self._outermost, block=None)
            definition.visible = None  # it sees itself: without this loop the tree is freed at once
            self._drain(definition.query)
        for block in self.blocks:
            if block.slot >= 0 and (block.names_matter or block.positions is None):
                self.out[block.slot] = "\x1f".join(block.names)
        return self.out

    def block_of(self, query: Any) -> Block:
        """Return the block of a query: that of the first SELECT of a set operation."""
        chain = []
        node = query
        while id(node) not in self._block_of and (isinstance(node, exp.SetOperation) or node.__class__ is exp.Subquery):
            chain.append(node)
            node = node.args["this"]
        block = self._block_of.get(id(node))
        if block is None:
            block = Block(node, len(self.blocks))
            self.blocks.append(block)
            self._block_of[id(node)] = block
        for item in chain:
            self._block_of[id(item)] = block
        return block

    def has_block(self, query: Any) -> bool:
        """Return whether a reader of this query has asked for its block."""
        return id(query) in self._block_of

    def _drain(self, tree: Any) -> None:
        stack, out, handlers = self._stack, self.out, self._handlers
        other = handlers[object]
        stack.append(tree)
        while stack:
            node = stack.pop()
            kind = node.__class__
            if kind is str:
                out.append(node)
            elif kind is tuple:
                self.marks.append((len(out), *node))
            else:
                handlers.get(kind, other)(self, node)

    def push(self, words: list[Any]) -> None:
        """Put nodes and words on the stack so that they are emitted in order."""
        words.reverse()
        self._stack.extend(words)

    def enter(self, node: Any, block: Block) -> Scope:
        """Open the scope of a SELECT or a set operation."""
        with_ = node.args.get("with_")
        visible = self.scope.visible if with_ is None else define(with_, self.scope.visible)
        self.scope = Scope(self.scope, visible, block=block)
        return self.scope

    def leave(self) -> None:
        """Go back to the enclosing scope."""
        assert self.scope.parent is not None
        self.scope = self.scope.parent

    def definition(self, table: Any, visible: Visible) -> Definition | None:
        """Return the CTE a table name means, or the query to be read in its place."""
        if table.args.get("db") is None:
            return visible.find(table.args["this"].args["this"].lower())
        return self._inlined.get(written(table)) if self._inlined else None

    def number(self, definition: Definition) -> int:
        """Return the number of a CTE, in the order of first reads."""
        if definition.number < 0:
            definition.number = self._numbered
            self._numbered += 1
            self._pending.append(definition)
        return definition.number

    def variable(self, name: str) -> str | None:
        """Return the word for a variable of a lambda around the current node: by which one binds it, and where."""
        folded = name.lower()
        for depth in range(len(self.variables) - 1, -1, -1):
            place = self.variables[depth].get(folded)
            if place is not None:
                return f"^{depth}.{place}"
        return None

    def read(self, block: Block, position: int | None) -> None:
        """Record that the next word depends on one column of a block, or by name on any of them."""
        self.reads.append((len(self.out), block.number, position))
        if position is None:
            block.names_matter = True

    def read_by_name(self, scope: Scope) -> None:
        """Record that the next word depends on what the relations in scope call their columns."""
        for block in scope.blocks:
            if block is not None:
                self.read(block, None)


def digest(words: list[str]) -> str:
    """Return the hash of a list of words."""
    return blake2b("\x1e".join(words).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def written(table: Any) -> str:
    """Return the name of a table as it is in the text, in lower case."""
    if table.args.get("db") is None:
        return str(table.args["this"].name).lower()
    parts = [table.args.get(key) for key in ("catalog", "db", "this")]
    # The parser leaves an empty string between two dots.
    return ".".join(part if isinstance(part, str) else part.name for part in parts if part is not None).lower()
