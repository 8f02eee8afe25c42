"""Where in the project's own files an exception of Spark points to: a clause of a query, a line of Python."""

import os
import re
from collections.abc import Iterable
from traceback import extract_tb
from typing import Any

from lamina.compiler.render import Rendering
from lamina.values.diagnostic import Place

# A frame of a Python worker, whose traceback comes over as text.
_WORKER_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+)', re.MULTILINE)


def sql_place(error: BaseException, rendering: Rendering) -> Place | None:
    """Return where the clause that Spark complains of was written; None if it is not in the user's text."""
    from pyspark.errors import ParseException, PySparkException, QueryContextType

    if not isinstance(error, PySparkException):
        return None
    sql = rendering.sql
    if isinstance(error, ParseException):
        offset = _parse_offset(error, sql)
        return None if offset is None else rendering.place(offset)
    for context in error.getQueryContext():
        if context.contextType() is not QueryContextType.SQL:
            continue
        start, fragment = context.startIndex(), context.fragment()
        # Spark also sees statements of ours, whose offsets mean nothing here.
        if fragment and sql[start : start + len(fragment)] == fragment:
            return rendering.place(start)
    return None


def python_place(error: BaseException, *, path: str, root: str) -> Place | None:
    """Return the innermost line of the project's code that an exception passed through."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return Place(file=path, line=error.lineno or 1, column=error.offset or 1)
    frames = [(frame.filename, frame.lineno or 1) for frame in extract_tb(error.__traceback__)]
    # What fails in a Python worker lies deeper than what called Spark.
    frames += [(file, int(line)) for file, line in _WORKER_FRAME.findall(str(error))]
    return _innermost(frames, path=path, root=root)


def _innermost(frames: Iterable[tuple[str, int]], *, path: str, root: str) -> Place | None:
    own = [(found, line) for file, line in frames if (found := _inside(file, path=path, root=root)) is not None]
    return Place(file=own[-1][0], line=own[-1][1]) if own else None


def _inside(file: str, *, path: str, root: str) -> str | None:
    """Return a file's path in the project; None for installed packages, also where they lie inside its folder."""
    if file == path:
        return path
    inner = os.path.relpath(file, root).replace(os.sep, "/") if os.path.isabs(file) else ".."
    is_own = not any(part.startswith(".") or part == "site-packages" for part in inner.split("/"))
    return inner if is_own else None


def _parse_offset(error: Any, sql: str) -> int | None:
    """Return where Spark's parser stopped; its lines count from 1, its positions from 0."""
    origin = getattr(error, "_origin", None)
    if origin is None:
        return None
    start = origin.start()
    if start.line().isEmpty() or start.startPosition().isEmpty():
        return None
    lines = sql.splitlines(keepends=True)
    return sum(len(line) for line in lines[: start.line().get() - 1]) + int(start.startPosition().get())
