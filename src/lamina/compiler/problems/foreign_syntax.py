"""Find syntax that the parser reads and Spark refuses: clauses and types of other databases, a comma too many."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lamina.compiler.query.brackets import Bracket, brackets_of
from lamina.compiler.query.nodes import Nodes, first_start

Node = Any

STRING, TIMESTAMP = "string", "timestamp"
TYPES = {
    **dict.fromkeys(("char", "json", "jsonb", "nvarchar", "text", "tinytext", "uuid", "varchar"), STRING),
    **dict.fromkeys(("datetime", "timestamptz"), TIMESTAMP),
    "bigdecimal": "decimal(38, 18)",
    "blob": "binary",
    "bool": "boolean",
    "float4": "float",
    "float8": "double",
    "hugeint": "decimal(38, 0)",
    "int2": "smallint",
    "int4": "int",
    "int64": "bigint",
    "int8": "bigint",
    "mediumint": "int",
    "number": "decimal",
    "timestampntz": "timestamp_ntz",
    "varbinary": "binary",
}
"""Types of other databases, and what Spark calls them."""
WITH_LENGTH = frozenset({"char", "varchar"})  # Spark has these too, with a length

ANYWHERE = ("",)
CLUES: dict[type[exp.Expr], tuple[str, ...]] = {
    **dict.fromkeys((exp.Qualify, exp.Fetch, exp.Limit, exp.WithTableHint, exp.Unnest), ANYWHERE),
    **dict.fromkeys((exp.All, exp.Any, exp.ArrayAgg, exp.GroupConcat), ANYWHERE),
    **dict.fromkeys((exp.JSONExtract, exp.JSONExtractScalar), ("->>",)),
    **dict.fromkeys((exp.DateDiff, exp.TimestampAdd, exp.TimestampDiff), ("add('", "diff('")),
    **dict.fromkeys((exp.Extract, exp.Anonymous), ("epoch",)),
    exp.Star: ("* exclude", "* re"),
    exp.Distinct: ("distinct on",),
    exp.Array: ("array[",),
    exp.AtTimeZone: ("at time zone",),
    exp.Lateral: (" apply",),
}
"""Without a node of such a kind and one of its pieces of text, a query needs no second look."""
LAST_COMMA = re.compile(
    r",\s*+(?:(?:--[^\n]*+(?:\n|\Z)|/\*.*?\*/)\s*+)*+(?:\)|from\b|group\s+by\b|order\s+by\b|;|\Z)", re.DOTALL
)
CAST_BACKWARDS = re.compile(r"[)(]\s*+(\w++)\s++sa\b")  # `AS type)`: looking for a bracket is fast
TYPES_BACKWARDS = frozenset(name[::-1] for name in TYPES)
COLONS = re.compile(r"::\s*+(\w++)")
ENDS = frozenset({TokenType.R_PAREN, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.SEMICOLON})
TABLES = frozenset({TokenType.VAR, TokenType.IDENTIFIER, TokenType.L_PAREN})  # what FROM can be followed by
IN_BRACKETS = frozenset({TokenType.COMMA, TokenType.ALIAS, TokenType.ORDER_BY})
BEFORE_STAR = frozenset({TokenType.SELECT, TokenType.DISTINCT, TokenType.COMMA, TokenType.DOT})

AT_ZONE = ["AT", "ZONE"]  # around TIME
CASTS = frozenset({"CAST", "TRY_CAST"})
QUANTIFIERS = frozenset({"ALL", "ANY", "SOME"})
COMPARISONS = frozenset(
    {TokenType.EQ, TokenType.NEQ, TokenType.GT, TokenType.GTE, TokenType.LT, TokenType.LTE, TokenType.LIKE}
)
JOINED_TEXTS = frozenset({"LISTAGG", "STRING_AGG"})
WITH_UNIT = frozenset({"DATEADD", "DATE_ADD", "DATEDIFF", "DATE_DIFF", "TIMESTAMPADD", "TIMESTAMPDIFF"})

SORTED = "sort the collected rows: `array_sort(...)`, or `listagg(...) WITHIN GROUP (ORDER BY ...)`"


class Foreign(NamedTuple):
    """What Spark cannot read, what to write instead, and where it is."""

    problem: str
    instead: str
    start: int


def foreign_syntax(text: str, tokens: list[Token], *, nodes: Nodes) -> list[Foreign]:
    """Return what Spark would refuse in a query that was parsed; most texts are judged at a glance."""
    lowered = text.lower()
    has_clause = any(piece in lowered for kind in CLUES.keys() & nodes.kinds for piece in CLUES[kind])
    if not (has_clause or LAST_COMMA.search(lowered) or _may_hold_type(lowered)):
        return []
    found = [item for node in nodes.all for item in _of_node(node)] if has_clause else []
    return sorted([*found, *_of_tokens(tokens)], key=lambda item: item.start)


def _may_hold_type(lowered: str) -> bool:
    if "::" in lowered and not TYPES.keys().isdisjoint(COLONS.findall(lowered)):
        return True
    return "cast" in lowered and not TYPES_BACKWARDS.isdisjoint(CAST_BACKWARDS.findall(lowered[::-1]))


def _of_node(node: Node) -> Iterator[Foreign]:
    match node:
        case exp.Select():
            yield from _of_select(node)
        case exp.Star() if node.args.get("replace") or node.args.get("rename"):
            word = "REPLACE" if node.args.get("replace") else "RENAME"
            yield Foreign(
                f"`* {word}` is not Spark SQL",
                "use `* EXCEPT (...)`, and list the changed columns after it",
                first_start(node),
            )
        case exp.AggFunc(this=exp.Order()) if not isinstance(node, exp.GroupConcat):
            yield Foreign("Spark has no ORDER BY inside an aggregate", SORTED, first_start(node))
        case exp.Unnest() if isinstance(node.parent, exp.From | exp.Join):
            yield Foreign("UNNEST is not Spark SQL", "use `LATERAL VIEW explode(...)`", first_start(node))
        case exp.Lateral() if node.args.get("cross_apply") is not None:
            yield Foreign(
                "APPLY is not Spark SQL", "use `CROSS JOIN LATERAL` or `LEFT JOIN LATERAL`", first_start(node)
            )
        case exp.Table(args={"hints": [exp.WithTableHint(), *_]}):
            yield Foreign("table hints in WITH are not Spark SQL", "leave them out", first_start(node))


def _of_select(node: Node) -> Iterator[Foreign]:
    args = node.args
    if args.get("qualify") is not None:
        instead = "put the window function into a subquery or CTE, and filter it outside with WHERE"
        yield Foreign("QUALIFY is not Spark SQL", instead, first_start(args["qualify"]))
    if args.get("distinct") is not None and args["distinct"].args.get("on") is not None:
        instead = "number the rows with `row_number()` in a subquery, and keep the first"
        yield Foreign("DISTINCT ON is not Spark SQL", instead, first_start(args["distinct"]))
    if isinstance(args.get("limit"), exp.Fetch):
        yield Foreign("FETCH is not Spark SQL", "use LIMIT", first_start(args["limit"]))


def _of_tokens(tokens: list[Token]) -> Iterator[Foreign]:
    for bracket in brackets_of(tokens, IN_BRACKETS):
        yield from _of_bracket(bracket, tokens)
    for number, token in enumerate(tokens):
        kind, following = token.token_type, tokens[number + 1 : number + 3]
        if kind is TokenType.COMMA:
            yield from _of_comma(tokens[max(number - 2, 0) : number], token, following)
        elif kind is TokenType.STAR and tokens[number - 1].token_type in BEFORE_STAR and _excludes(following):
            yield Foreign("`* EXCLUDE` is not Spark SQL", "use `* EXCEPT (...)`", following[0].start)
        elif kind is TokenType.DCOLON:
            yield from _of_type(following)
        elif kind is TokenType.TIME and [item.text.upper() for item in (tokens[number - 1], *following[:1])] == AT_ZONE:
            instead = "use `from_utc_timestamp`, `to_utc_timestamp` or `convert_timezone`"
            yield Foreign("AT TIME ZONE is not Spark SQL", instead, tokens[number - 1].start)
        elif kind is TokenType.DARROW:
            yield Foreign("`->>` is not Spark SQL", "use `get_json_object(...)`", token.start)


def _word_before(number: int, tokens: list[Token]) -> str:
    """Return the word before a bracket; the name of a schema's own function (`db.name`) says nothing."""
    if number == 0 or (number > 1 and tokens[number - 2].token_type is TokenType.DOT):
        return ""
    return tokens[number - 1].text.upper()


def _of_comma(before: list[Token], comma: Token, following: list[Token]) -> Iterator[Foreign]:
    if _ends_list(following):
        yield Foreign("a comma follows the last item of a list", "remove the comma", comma.start)
    elif [token.token_type for token in before] == [TokenType.LIMIT, TokenType.NUMBER]:
        count = following[0].text if following else "..."
        yield Foreign("LIMIT takes one number", f"use `LIMIT {count} OFFSET {before[1].text}`", before[0].start)


def _of_bracket(bracket: Bracket, tokens: list[Token]) -> Iterator[Foreign]:
    """Yield what is wrong with the brackets of one call, or of one array, once they are closed."""
    opening, first = tokens[bracket.opening], tokens[bracket.opening + 1]
    name, word, commas = tokens[bracket.opening - 1], _word_before(bracket.opening, tokens), bracket.commas(tokens)
    for number in bracket.inside:
        if word in CASTS and tokens[number].token_type is TokenType.ALIAS:
            yield from _of_type(tokens[number + 1 : number + 3])
        elif word in JOINED_TEXTS and tokens[number].token_type is TokenType.ORDER_BY:
            yield Foreign("Spark has no ORDER BY inside an aggregate", SORTED, tokens[number].start)
    if opening.token_type is TokenType.L_BRACKET:
        if word == "ARRAY" and commas:
            yield Foreign("`ARRAY[...]` is not Spark SQL", "use `array(...)`", name.start)
    elif word in QUANTIFIERS and first.token_type is TokenType.SELECT:
        if tokens[bracket.opening - 2].token_type in COMPARISONS:
            instead = "use IN or EXISTS, or compare with the `max` or `min` of the subquery"
            yield Foreign(f"Spark cannot compare with {word} of a subquery", instead, name.start)
    elif word in WITH_UNIT and commas == 2 and first.token_type is TokenType.STRING:
        yield Foreign(f"the unit of `{name.text}` is in quotes", f"write `{first.text.upper()}`", first.start)
    elif word in {"EXTRACT", "DATE_PART", "DATEPART"} and first.text.upper() == "EPOCH":
        yield Foreign(f"`{name.text}` does not know `epoch`", "use `unix_timestamp(...)`", first.start)


def _ends_list(following: list[Token]) -> bool:
    """Return whether nothing follows a comma; a column could be called `from`."""
    kinds = [token.token_type for token in following]
    if not kinds or kinds[0] in ENDS:
        return True
    return kinds[0] is TokenType.FROM and len(kinds) == 2 and kinds[1] in TABLES


def _excludes(following: list[Token]) -> bool:
    return bool(following) and following[0].text.upper() == "EXCLUDE"


def _of_type(following: list[Token]) -> Iterator[Foreign]:
    name = following[0].text.lower() if following else ""
    has_length = len(following) == 2 and following[1].token_type is TokenType.L_PAREN
    if name in TYPES and not (has_length and name in WITH_LENGTH):
        yield Foreign(f"Spark has no type `{following[0].text}`", f"use `{TYPES[name]}`", following[0].start)
