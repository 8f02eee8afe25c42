"""The two types that the parser asks for again and again, answered without parsing.

For every type in a query the parser of Spark asks whether it is `char` or `varchar`, and parses both words to find
out, which takes a sixth of the time of parsing a query with casts.
"""

from functools import wraps
from typing import Any

import sqlglot
from sqlglot import exp

_ASKED = {"char": exp.DType.CHAR, "varchar": exp.DType.VARCHAR}


def answer_quickly() -> None:
    """Answer these two questions here from now on; everything else is parsed as before."""
    parse = sqlglot.parse_one
    if hasattr(parse, "__wrapped__"):
        return

    @wraps(parse)
    def answer(sql: str, *arguments: Any, **options: Any) -> Any:
        is_asked = sql in _ASKED and options.get("into") is exp.DataType
        if is_asked and not arguments and not options.get("read") and not options.get("dialect"):
            return exp.DataType(this=_ASKED[sql], expressions=None, nested=False)
        return parse(sql, *arguments, **options)

    vars(sqlglot)["parse_one"] = answer  # the parser looks it up there each time
