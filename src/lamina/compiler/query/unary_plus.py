"""The plus before an operand: the parser drops it, though Spark makes a number of what follows.

The compiled parser cannot be subclassed, so the tokens take the place of a rule of its own while it reads them.
"""

from collections.abc import Callable

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

Trees = list[exp.Expr | None]

# Operators that no query for Spark is written with, by the function that they mean.
SPARE = (("cbrt", TokenType.DPIPE_SLASH, exp.Cbrt), ("sqrt", TokenType.PIPE_SLASH, exp.Sqrt))
OPERANDS = frozenset({TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.STRING})
ENDS = frozenset({")", "]", "}", "?"})  # of an operand
BEFORE_OPERANDS = frozenset({
    "all", "and", "between", "by", "case", "distinct", "div", "else", "having", "ilike", "in", "like", "limit", "not",
    "offset", "on", "or", "qualify", "regexp", "rlike", "select", "then", "when", "where",
})  # fmt: skip


def parse_with_pluses(tokens: list[Token], text: str, parse: Callable[[list[Token], str], Trees]) -> Trees:
    """Parse tokens so that a plus with an operand only behind it becomes a call of `positive`, as in Spark."""
    pluses = _unary_pluses(tokens)
    if not pluses or "|/" in text:
        return parse(tokens, text)
    lower = text.lower()
    spare = next(((operator, node) for name, operator, node in SPARE if name not in lower), None)
    if spare is None:
        return parse(tokens, text)
    operator, stand_in = spare
    for token in pluses:
        token.token_type = operator
    try:
        trees = parse(tokens, text)
    finally:
        for token in pluses:
            token.token_type = TokenType.PLUS
    for tree in trees:
        for node in list(tree.find_all(stand_in)) if tree is not None else ():
            node.replace(exp.Anonymous(this="positive", expressions=[node.this]))
    return trees


def _unary_pluses(tokens: list[Token]) -> list[Token]:
    """Return the pluses that have an operand only behind them, but those of numbers, which change nothing."""
    places = [place for place, token in enumerate(tokens) if token.token_type is TokenType.PLUS]
    return [
        tokens[place]
        for place in places
        if tokens[place + 1 : place + 2]
        and tokens[place + 1].token_type is not TokenType.NUMBER
        and not _ends_operand(tokens, place - 1)
    ]


def _ends_operand(tokens: list[Token], place: int) -> bool:
    if place < 0:
        return False
    token = tokens[place]
    if token.token_type in OPERANDS:
        return True
    if not (token.text[:1].isalnum() or token.text[:1] == "_"):
        return token.text in ENDS
    is_name = place > 0 and tokens[place - 1].text in (".", "@")
    return is_name or token.text.lower() not in BEFORE_OPERANDS
