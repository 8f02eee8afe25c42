"""L105: a file is too large.

Why: queries and settings are never this large; it is data, and data is read by Spark.
Fix: split the file, or declare the data as a source.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L105", name="LargeFile")


def finding(path: str, *, limit: int) -> Diagnostic:
    """Return the finding for a file over the limit, in bytes."""
    message = f"file `{path}` is larger than {limit // 1_000_000} MB"
    return RULE.finding(message, place=Place(file=path), hint=_hint(path))


def _hint(path: str) -> str:
    if path.endswith(".csv"):
        return "declare the data as a source"
    if path.startswith("sources/"):
        return "divide the tables among several sources, or leave `columns` out where they can be read from the data"
    return "split the file"
