"""The two types that the parser asks for again and again, answered without parsing.

For every type in a query the parser of Spark asks whether it is `char` or `varchar`, and parses both words to find
out, which takes a sixth of the time of parsing a query with casts. Its compiled classes cannot be subclassed, so that
the function it asks is another one while a query of ours is parsed, and only then.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlglot
from sqlglot import exp

_ASKED = {"char": exp.DType.CHAR, "varchar": exp.DType.VARCHAR}
_parse = sqlglot.parse_one


@contextmanager
def quick_types() -> Iterator[None]:
    """Answer these two questions here for the block; everything else is parsed as ever."""
    names = vars(sqlglot)  # the parser looks it up there each time
    names["parse_one"] = _answer
    try:
        yield
    finally:
        names["parse_one"] = _parse


def _answer(sql: str, *arguments: Any, **options: Any) -> Any:
    is_asked = sql in _ASKED and options.get("into") is exp.DataType
    if is_asked and not arguments and not options.get("read") and not options.get("dialect"):
        return exp.DataType(this=_ASKED[sql], expressions=None, nested=False)
    return _parse(sql, *arguments, **options)
