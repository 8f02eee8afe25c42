"""Find the calls of Spark's functions that have too few or too many arguments, counted as they are written."""

import re
from collections.abc import Container, Iterable, Iterator
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lamina.compiler.types.functions.facts import ARGUMENT_COUNTS, MANY

OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
# A subquery, syntax of its own (`trim(BOTH FROM s)`), a type with commas, a named argument: commas count no arguments.
UNCOUNTABLE = frozenset(
    {TokenType.SELECT, TokenType.FROM, TokenType.IN, TokenType.DCOLON, TokenType.FARROW, TokenType.VALUES}
)
MARKS = OPENING | CLOSING | UNCOUNTABLE | {TokenType.COMMA, TokenType.STAR}
TEXT = re.compile(r"'[^']*'")
COUNTS_BACKWARDS = {
    **{name[::-1]: counts for name, counts in ARGUMENT_COUNTS.items()},
    "decimal"[::-1]: frozenset({1, 2}),  # nearly always a type, which a glance cannot tell
}
BEFORE_STAR = frozenset({TokenType.L_PAREN, TokenType.COMMA, TokenType.DOT, TokenType.DISTINCT})


class Miscounted(NamedTuple):
    """A call, how many arguments it has, how many it could have, and where it is."""

    name: str
    given: int
    taken: str
    start: int


class _Bracket:
    """An open bracket: where it is, how many commas are directly inside, whether they separate arguments."""

    __slots__ = ("commas", "is_countable", "position")

    def __init__(self, position: int) -> None:
        self.position = position
        self.commas = 0
        self.is_countable = True


def miscounted_calls(text: str, called: list[str], *, tokens: list[Token], nodes: Iterable[Any]) -> list[Miscounted]:
    """Return the calls that Spark refuses for the number of their arguments; a name that is not a call is never one."""
    if _looks_right(text, called):
        return []
    suspects = {found.start: found for found in _suspects(tokens)}
    if not suspects:
        return []
    return [suspects[start] for node in nodes if (start := _call_at(node)) in suspects]


def _looks_right(text: str, called: list[str]) -> bool:
    """Tell quickly, by brackets and commas alone, that no call is miscounted; a comment can make it look wrong."""
    before, *pieces = (TEXT.sub("''", text) if "'" in text else text).split("(")
    if ")" in before or len(pieces) != len(called):
        return False
    taken: list[Container[int] | None] = []  # of the brackets that are still open
    given: list[int] = []
    for word, piece in zip(reversed(called), pieces, strict=True):
        counts = COUNTS_BACKWARDS.get(word)
        inside, *after = piece.split(")")
        count = inside.count(",") + 1
        if not after:
            taken.append(counts)
            given.append(count)
            continue
        if counts is not None and (count if inside.strip() else 0) not in counts:
            return False
        for part in after[:-1]:
            if not taken:
                return False
            counts, count = taken.pop(), given.pop() + part.count(",")
            if counts is not None and count not in counts:
                return False
        if taken:
            given[-1] += after[-1].count(",")
    return True


def _suspects(tokens: list[Token]) -> Iterator[Miscounted]:
    brackets: list[_Bracket] = []
    for position, kind in [(at, kind) for at, token in enumerate(tokens) if (kind := token.token_type) in MARKS]:
        if kind in OPENING:
            brackets.append(_Bracket(position))
        elif not brackets:
            continue
        elif kind is TokenType.COMMA:
            brackets[-1].commas += 1
        elif kind in CLOSING:
            found = _suspect(tokens, brackets.pop(), position)
            if found is not None:
                yield found
        elif kind in UNCOUNTABLE or tokens[position - 1].token_type in BEFORE_STAR:
            brackets[-1].is_countable = False


def _suspect(tokens: list[Token], bracket: _Bracket, end: int) -> Miscounted | None:
    if bracket.position == 0 or not bracket.is_countable:
        return None
    name = tokens[bracket.position - 1]
    counts = ARGUMENT_COUNTS.get(name.text.lower())
    if counts is None:
        return None
    given = 0 if end == bracket.position + 1 else bracket.commas + 1
    if given in counts:
        return None
    return Miscounted(name.text, given, _in_words(counts), name.start)


def _call_at(node: Any) -> int | None:
    """Return where the name of a call is written; None where the node is not a call, or one of a schema or a hint."""
    if not isinstance(node, exp.Func) or not node._meta or "start" not in node._meta:
        return None
    is_qualified = type(node.parent) is exp.Dot and node.parent.expression is node
    return None if is_qualified or isinstance(node.parent, exp.Hint) else int(node._meta["start"])


def _in_words(counts: Container[int]) -> str:
    """Say how many arguments a function takes.

    >>> _in_words(range(1, 3)), _in_words(range(2, MANY)), _in_words(frozenset({1}))
    ('1 or 2 arguments', 'at least 2 arguments', '1 argument')
    """
    if isinstance(counts, range) and counts.stop == MANY:
        return f"at least {_arguments(str(counts.start))}" if counts.step == 1 else "pairs of arguments"
    numbers = [str(number) for number in range(10) if number in counts]
    if numbers == ["0"]:
        return "no arguments"
    return _arguments(" or ".join([", ".join(numbers[:-1]), numbers[-1]] if len(numbers) > 1 else numbers))


def _arguments(number: str) -> str:
    return f"{number} argument{'' if number == '1' else 's'}"
