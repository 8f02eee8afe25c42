"""Find the calls of Spark's functions that have too few or too many arguments, counted as they are written."""

import re
from collections.abc import Container, Iterable
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lamina.compiler.query.brackets import Bracket, brackets_of
from lamina.compiler.types.functions.facts import ARGUMENT_COUNTS, MANY

# A subquery, syntax of its own (`trim(BOTH FROM s)`), a type with commas, a named argument: commas count no arguments.
UNCOUNTABLE = frozenset(
    {TokenType.SELECT, TokenType.FROM, TokenType.IN, TokenType.DCOLON, TokenType.FARROW, TokenType.VALUES}
)
MARKS = UNCOUNTABLE | {TokenType.COMMA, TokenType.STAR}
TEXT = re.compile(r"'[^']*'")
COUNTS_BACKWARDS = {
    **{name[::-1]: counts for name, counts in ARGUMENT_COUNTS.items()},
    "decimal"[::-1]: frozenset({1, 2}),  # nearly always a type, which a glance cannot see
}
BEFORE_STAR = frozenset({TokenType.L_PAREN, TokenType.COMMA, TokenType.DOT, TokenType.DISTINCT})


class Miscounted(NamedTuple):
    """A call, how many arguments it has, how many it could have, and where it is."""

    name: str
    given: int
    taken: str
    start: int


def miscounted_calls(text: str, called: list[str], *, tokens: list[Token], nodes: Iterable[Any]) -> list[Miscounted]:
    """Return the calls that Spark refuses for the number of their arguments; a name that is not a call is never one."""
    if _looks_right(text, called):
        return []
    found = (_suspect(tokens, bracket) for bracket in brackets_of(tokens, MARKS))
    suspects = {item.start: item for item in found if item is not None}
    if not suspects:
        return []
    return [suspects[start] for node in nodes if (start := _call_at(node)) in suspects]


def _looks_right(text: str, called: list[str]) -> bool:
    """Find out quickly, by brackets and commas alone, that no call is miscounted; a comment can make it look wrong."""
    # Splits the text, at a quarter of what `brackets_of` over the tokens costs: 2 % of a cold compile.
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


def _suspect(tokens: list[Token], bracket: Bracket) -> Miscounted | None:
    if bracket.opening == 0 or any(_is_uncountable(tokens, number) for number in bracket.inside):
        return None
    name = tokens[bracket.opening - 1]
    counts = ARGUMENT_COUNTS.get(name.text.lower())
    if counts is None:
        return None
    given = 0 if bracket.closing == bracket.opening + 1 else bracket.commas(tokens) + 1
    if given in counts:
        return None
    return Miscounted(name.text, given, _in_words(counts), name.start)


def _is_uncountable(tokens: list[Token], number: int) -> bool:
    """Return whether a token shows that commas count no arguments; a star does where it means columns."""
    kind = tokens[number].token_type
    return kind in UNCOUNTABLE or (kind is TokenType.STAR and tokens[number - 1].token_type in BEFORE_STAR)


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
