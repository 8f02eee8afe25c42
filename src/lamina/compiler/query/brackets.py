"""The brackets among the tokens of a query: which kinds there are, and which two belong together."""

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
COMMAS = frozenset({TokenType.COMMA})


class Bracket(NamedTuple):
    """Two tokens that close what is between them, by their numbers, and those sought directly inside."""

    opening: int
    closing: int
    inside: list[int]

    def commas(self, tokens: Sequence[Token]) -> int:
        """Return how many of the sought tokens are commas."""
        return sum(tokens[number].token_type is TokenType.COMMA for number in self.inside)


def brackets_of(tokens: Sequence[Token], sought: Set[TokenType]) -> Iterator[Bracket]:
    """Yield each pair when it closes, so inner ones first; one that lacks its other half is passed over."""
    marks = OPENING | CLOSING | sought
    open_ones: list[tuple[int, list[int]]] = []
    for number, kind in [(number, kind) for number, token in enumerate(tokens) if (kind := token.token_type) in marks]:
        if kind in OPENING:
            open_ones.append((number, []))
        elif not open_ones:
            continue
        elif kind in CLOSING:
            opening, inside = open_ones.pop()
            yield Bracket(opening, number, inside)
        else:
            open_ones[-1][1].append(number)


def arguments_of(tokens: Sequence[Token], bracket: Bracket) -> list[list[Token]]:
    """Return the tokens between the commas of a bracket, of which nothing but commas was sought."""
    ends = [*bracket.inside, bracket.closing]
    starts = [bracket.opening + 1, *(number + 1 for number in bracket.inside)]
    return [list(tokens[start:end]) for start, end in zip(starts, ends, strict=True)]
