"""Find the functions of a query that Spark does not have, and what the writer may have meant."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlglot import exp

from lamina.compiler.query.called_words import backwards
from lamina.compiler.types.functions.facts import KNOWN
from lamina.values.nearest import nearest

SYNTAX = frozenset({"identifier", "stream", "timediff", "timestampadd", "timestampdiff", "try_cast"})
"""Calls that Spark's grammar knows, which its list of functions leaves out."""
WORDS = (
    "all and as by cube distinct else except from group having join on over rollup select sets then using values "
    "varchar where within"
)
BEFORE_BRACKETS = backwards(KNOWN.union(SYNTAX, WORDS.split(), {""}))
"""Words that may be before a bracket, backwards: a query without any other needs no second look."""
ELSEWHERE = {
    "array_to_string": "array_join",
    "charindex": "locate",
    "days_between": "datediff",
    "getdate": "current_timestamp",
    "group_concat": "listagg",
    "json_extract": "get_json_object",
    "json_extract_scalar": "get_json_object",
    "json_value": "get_json_object",
    "parse_date": "to_date",
    "parse_timestamp": "to_timestamp",
    "regexp_contains": "regexp_like",
    "safe_divide": "try_divide",
    "string_split": "split",
    "string_to_array": "split",
    "strpos": "instr",
    "sysdate": "current_timestamp",
    "timestamp_add": "timestampadd",
    "timestamp_diff": "timestampdiff",
    "timestamp_trunc": "date_trunc",
}
"""What functions of other databases are called in Spark."""


class UnknownFunction(NamedTuple):
    """A call of a function that Spark does not have, and where it is."""

    name: str
    start: int


def unknown_functions(text: str, called: list[str], *, nodes: Iterable[Any]) -> list[UnknownFunction]:
    """Return the functions of a query that Spark does not have; those of a schema (`db.name`) may exist."""
    if BEFORE_BRACKETS.issuperset(called):
        return []
    return [found for node in nodes if isinstance(node, exp.Func) and (found := _unknown(node, text)) is not None]


def _unknown(node: Any, text: str) -> UnknownFunction | None:
    if not node._meta or "start" not in node._meta:
        return None
    start, end = node._meta["start"], node._meta["end"] + 1
    if not text[end:].lstrip().startswith("("):
        return None
    name = text[start:end].strip("`")
    is_qualified = type(node.parent) is exp.Dot and node.parent.expression is node
    if is_qualified or isinstance(node.parent, exp.Hint) or name.lower() in KNOWN or name.lower() in SYNTAX:
        return None
    return UnknownFunction(name, start)


def meant_function(name: str) -> str | None:
    """Return the function of Spark that a name may have been written for.

    >>> meant_function("lenght"), meant_function("STRPOS"), meant_function("frobnicate")
    ('length', 'instr', None)
    """
    return ELSEWHERE.get(name.lower()) or nearest(name.lower(), sorted(KNOWN))
