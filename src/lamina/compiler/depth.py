"""How deep a query nests, told from its tokens, so that nothing recursive ever sees one that is too deep."""

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

# The compiled parser recurses on the C stack and dies where pure Python would raise: the count comes first.
MAX_BRACKETS = 64
MAX_DEPTH = 240

_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}
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
_RESETTING = {
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
    TokenType.ON,
    TokenType.USING,
    TokenType.SEMICOLON,
}


class _Level:
    """The chains open inside one bracket: every operator makes the tree one deeper until a separator."""

    __slots__ = ("chain", "joins", "logical", "sets")

    def __init__(self) -> None:
        self.chain = self.logical = self.sets = self.joins = 0

    def depth(self) -> int:
        return 1 + self.chain + self.logical + self.sets + self.joins


def too_deep_at(tokens: Sequence[Token]) -> Token | None:
    """Return the first token that nests too deep, or None."""
    levels = [_Level()]
    below = 0
    for token in tokens:
        kind = token.token_type
        if kind in _PLAIN:
            continue
        top = levels[-1]
        if kind in _OPENING:
            if kind is TokenType.L_BRACKET:
                top.chain += 1  # a[0][0][0] nests without ever staying open
            below += top.depth()
            levels.append(_Level())
        elif kind in _CLOSING:
            if len(levels) > 1:
                levels.pop()
                below -= levels[-1].depth()
        else:
            _extend(top, kind)
        if len(levels) > MAX_BRACKETS or below + levels[-1].depth() > MAX_DEPTH:
            return token
    return None


def _extend(level: _Level, kind: TokenType) -> None:
    if kind in _RESETTING:
        level.chain = level.logical = 0
        if kind not in {TokenType.ON, TokenType.USING}:
            level.joins = 0 if kind is not TokenType.COMMA else level.joins
        elif level.joins:
            level.joins -= 1
    elif kind in _LOGICAL:
        level.logical += 1
        level.chain = 0
    elif kind in _SET_OPERATIONS:
        level.sets += 1
        level.chain = level.logical = level.joins = 0
    elif kind is TokenType.JOIN:
        level.joins += 1  # a JOIN b JOIN c ON .. ON ..: joins wait for their condition
        level.chain = level.logical = 0
    else:
        level.chain += 1
