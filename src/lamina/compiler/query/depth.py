"""How deep a query nests, counted in its tokens, so that nothing recursive ever sees one that is too deep."""

from collections.abc import Sequence

from sqlglot.dialects.spark import Spark
from sqlglot.tokenizer_core import Token, TokenType

from lamina.compiler.query.brackets import CLOSING, OPENING

# The compiled parser recurses on the C stack and dies where pure Python would raise: the count comes first.
MAX_BRACKETS = 40
MAX_DEPTH = 240
# A join without a condition may get it from a later ON, and `struct(` may begin a type or a call: the parser tries
# both ways, so each level inside another doubles its work.
MAX_GUESSES = 50_000

_OPENING = OPENING | {TokenType.CASE}
_CLOSING = CLOSING | {TokenType.END}
_LOGICAL = {TokenType.AND, TokenType.OR, TokenType.XOR}
_SET_OPERATIONS = {TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT}
_PLAIN = {
    TokenType.VAR,
    TokenType.IDENTIFIER,
    TokenType.NUMBER,
    TokenType.STRING,
    TokenType.ALIAS,
    TokenType.PARAMETER,
}
_CONDITIONS = {TokenType.ON, TokenType.USING}
_SEPARATORS = {
    TokenType.COMMA,
    TokenType.SELECT,
    TokenType.FROM,
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.HAVING,
    TokenType.ORDER_BY,
    TokenType.LIMIT,
    TokenType.WHEN,
    TokenType.THEN,
    TokenType.ELSE,
    TokenType.SEMICOLON,
}

# Brackets, types and joins of these words at most, in so few tokens, cannot pass any of the limits above.
_NESTING_WORDS = ("(", "[", "{", "case", "join")
_FEW_WORDS = 12
_FEW_TOKENS = 200


class _Level:
    """The chains open inside one bracket: every operator makes the tree one deeper until a separator."""

    __slots__ = ("chain", "joins", "logical", "sets", "types")

    def __init__(self, types: int) -> None:
        self.chain = self.logical = self.sets = self.joins = 0
        self.types = types  # calls around this level that could also be types, such as `struct(`

    def depth(self) -> int:
        return 1 + self.chain + self.logical + self.sets + self.joins


def is_surely_shallow(text: str, count: int) -> bool:
    """Find out from a text and the number of its tokens that no limit is near, as for most queries."""
    if count > _FEW_TOKENS:
        return False
    folded = text.lower()
    return sum(map(folded.count, _NESTING_WORDS)) <= _FEW_WORDS


def too_deep_at(tokens: Sequence[Token]) -> Token | None:
    """Return the first token that nests too deep, or None."""
    # Counts what is open at each token, closed later or not, so `brackets_of`, which yields pairs, is of no use here.
    levels = [_Level(0)]
    below = work = 0
    before = TokenType.SEMICOLON
    for token in tokens:
        kind = token.token_type
        if kind in _PLAIN:
            before = kind
            continue
        top = levels[-1]
        if kind in _OPENING:
            if kind is TokenType.L_BRACKET:
                top.chain += 1  # a[0][0][0] nests without ever staying open
            below += top.depth()
            levels.append(_Level(top.types))
            if before in Spark.Parser.TYPE_TOKENS:
                levels[-1].types += 1
                work += 1 << min(levels[-1].types, 20)
        elif kind in _CLOSING:
            if len(levels) > 1:
                levels.pop()
                below -= levels[-1].depth()
        elif kind is TokenType.JOIN:
            top.chain = top.logical = 0
            if before is not TokenType.CROSS:
                top.joins += 1
                work += 1 << min(top.joins, 20)
        else:
            _extend(top, kind)
        before = kind
        if len(levels) > MAX_BRACKETS or below + levels[-1].depth() > MAX_DEPTH or work > MAX_GUESSES:
            return token
    return None


def _extend(level: _Level, kind: TokenType) -> None:
    if kind in _CONDITIONS:
        level.chain = level.logical = 0
        level.joins = max(level.joins - 1, 0)
    elif kind in _SEPARATORS:
        level.chain = level.logical = 0
        level.joins = level.joins if kind is TokenType.COMMA else 0
    elif kind in _LOGICAL:
        level.logical += 1
        level.chain = 0
    elif kind in _SET_OPERATIONS:
        level.sets += 1
        level.chain = level.logical = level.joins = 0
    else:
        level.chain += 1
