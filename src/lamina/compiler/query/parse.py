"""From a model's text to one syntax tree, or the reason why there is none."""

import re
import threading
from itertools import pairwise
from typing import NamedTuple

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from lamina.compiler.query.depth import is_surely_shallow, too_deep_at
from lamina.compiler.query.dropped_arguments import may_lack_arguments, restore_arguments
from lamina.compiler.query.places import place_at
from lamina.compiler.query.quick_types import quick_types
from lamina.compiler.query.unary_plus import parse_with_pluses
from lamina.compiler.rules import invalid_sql, nesting_too_deep, not_a_query
from lamina.values.diagnostic import Diagnostic, Place

_NOTHING: dict[str, str] = {}


class _PatternsAsWritten(Spark):
    """Spark, but texts in texts stay as written: the parser would take `yyyy` and `YYYY`, `$.a` and `a` for one."""

    TIME_MAPPING = _NOTHING

    def to_json_path(self, path: exp.Expr | None) -> exp.Expr | None:
        """Return a path into a document as it is: Spark reads it by rules of its own."""
        return path


class _Reader(threading.local):
    """The parser of one thread; making a new one for each query would cost a tenth of parsing it."""

    def __init__(self) -> None:
        dialect = _PatternsAsWritten()
        self.tokenizer = dialect.tokenizer()
        self.parser = dialect.parser()


_READER = _Reader()

CLOSED_PIECE = re.compile(
    r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|`[^`]*+`|--[^\n]*+|/\*.*?\*/|[^'"`/-]++|/(?!\*)|-(?!-)""", re.DOTALL
)


BRACES = frozenset((TokenType.L_BRACE, TokenType.BLOCK_START))  # in Spark SQL, braces occur only in texts


class Parsed(NamedTuple):
    """A query's tokens and tree; the tree is dropped as soon as it has been walked."""

    tokens: list[Token]
    tree: exp.Expr


def parse(text: str) -> Parsed | Diagnostic:
    """Parse the one query of a text; places have no file yet."""
    try:
        tokens = _READER.tokenizer.tokenize(text)
    except TokenError:
        return _unreadable(text)
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        return not_a_query.finding("the file has no query", place=Place(file=""))
    if "{" in text and (braces := [token for token in tokens if token.token_type in BRACES]):
        return _template(place_at(text, braces[0].start))
    deep = None if is_surely_shallow(text, len(tokens)) else too_deep_at(tokens)
    if deep is not None:
        return nesting_too_deep.finding(place=place_at(text, deep.start))
    try:
        trees = parse_with_pluses(tokens, text, _trees) if "+" in text else _trees(tokens, text)
        if may_lack_arguments(text):
            restore_arguments(trees, tokens, _expression)
    except ParseError as error:
        return _syntax_error(error)
    except RecursionError:
        return nesting_too_deep.finding(place=Place(file=""))
    except Exception as error:  # noqa: BLE001  # on some broken texts the parser fails by itself, in many ways
        return invalid_sql.finding(f"the parser fails: {error}", place=Place(file=""))
    if len(trees) != 1:
        return not_a_query.finding("the file has more than one statement", place=_second_statement(text, tokens))
    tree = trees[0]
    if not isinstance(tree, (exp.Query, exp.Values)):
        return not_a_query.finding("the statement is not a query", place=place_at(text, tokens[0].start))
    if type(tree) is exp.Select and not tree.expressions:
        return invalid_sql.finding("it selects nothing", place=place_at(text, tokens[0].start))
    return Parsed(tokens, tree)


def _template(place: Place) -> Diagnostic:
    hint = "a query is plain SQL: write the name of a table instead of `ref` or `source`, and `@name` for a variable"
    return invalid_sql.finding("it is a template", place=place, hint=hint)


def _expression(tokens: list[Token]) -> exp.Expr | None:
    """Parse an argument by itself; None if it is more than an expression, such as `DISTINCT x`."""
    try:
        return next(iter(_read(tokens, "")), None)
    except ParseError:
        return None


def _trees(tokens: list[Token], text: str) -> list[exp.Expr | None]:
    """Parse tokens; after GROUP BY the parser takes the function `window` for a clause, and has to be guided."""
    try:
        return _read(tokens, text)
    except ParseError:
        calls = [
            token
            for token, after in pairwise(tokens)
            if token.token_type is TokenType.WINDOW and after.token_type is TokenType.L_PAREN
        ]
        if not calls:
            raise
    for token in calls:
        token.token_type = TokenType.VAR
    return _read(tokens, text)


def _read(tokens: list[Token], text: str) -> list[exp.Expr | None]:
    with quick_types():
        return _READER.parser.parse(tokens, text)


def _unreadable(text: str) -> Diagnostic:
    """Return the finding for a text whose words cannot be distinguished, at the quote or comment that is not closed."""
    end = 0
    while (piece := CLOSED_PIECE.match(text, end)) is not None:
        end = piece.end()
    if end == len(text):
        return invalid_sql.finding("a literal contains characters that do not belong there", place=Place(file=""))
    opened = "comment" if text[end] == "/" else "quote"
    return invalid_sql.finding(f"this {opened} is never closed", place=place_at(text, end))


def _syntax_error(error: ParseError) -> Diagnostic:
    details = error.errors[0] if error.errors else {}
    highlight = str(details.get("highlight") or "")
    line, column = details.get("line"), details.get("col")
    place = Place(file="")
    if isinstance(line, int) and isinstance(column, int):
        # The parser's column is that of the token's last character.
        place = Place(file="", line=line, column=max(1, column - max(len(highlight) - 1, 0)))
    description = parser_words(str(details.get("description") or "unexpected text").rstrip("."))
    near = f" near `{highlight}`" if highlight.strip() else ""
    return invalid_sql.finding(f"{description}{near}", place=place)


def parser_words(description: str) -> str:
    """Return what the parser says in the words of a user, without the names of its own classes."""
    if description.startswith("Required keyword"):
        return "something is missing"
    if description.startswith("Invalid expression"):
        return "unexpected text"
    if description.startswith("Expecting "):
        return f"expected `{description.removeprefix('Expecting ')}`"
    return description[:1].lower() + description[1:].partition(" but got <")[0].partition(" for <class")[0]


def _second_statement(text: str, tokens: list[Token]) -> Place:
    ends = [number for number, token in enumerate(tokens) if token.token_type is TokenType.SEMICOLON]
    following = ends[0] + 1 if ends else 0
    return place_at(text, tokens[min(following, len(tokens) - 1)].start)
