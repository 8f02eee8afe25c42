"""Paths as Spark is given them to open those very files: it takes each one for a pattern."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from lamina.project.source import SourceTable
from lamina.warehouse.failure import SourceUnreadable

_PATTERN = re.compile(r"[\[\]{}*?\\]")


def exact_path(path: Path | str) -> str:
    r"""Return a path without what makes it a pattern: as it is, `a[1].csv` would read `a1.csv`.

    The option by which Spark itself turns patterns off reads every file once more for each such name among them.

    >>> print(exact_path("data/a[1].csv"))
    data/a\[1\].csv
    """
    return _PATTERN.sub(r"\\\g<0>", str(path))


def require_inferable(source: SourceTable, paths: Iterable[Path], options: Mapping[str, str]) -> None:
    """Raise where Spark would infer columns from other files: for `multiLine` Hadoop lists them, by patterns only."""
    if {key.lower(): value.lower() for key, value in options.items()}.get("multiline") != "true":
        return
    for path in paths:
        if _PATTERN.search(str(path)):
            detail = "its name is a pattern to Spark, which would infer columns from other files; declare `columns`"
            raise SourceUnreadable(source.name, str(path), detail)
