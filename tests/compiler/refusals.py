"""Queries that Spark refuses, and those it accepts, as fixtures keep them; and what compiling finds in one."""

from pathlib import Path

from tests.compiler.projects import graph_of, model

FOLDER = Path(__file__).parents[1] / "fixtures" / "refusals"


def queries(kind: str) -> list[tuple[str, str]]:
    """Return the queries of all rules, one on each line of a file, each with the code of its rule."""
    files = sorted(FOLDER.glob(f"*.{kind}.sql"))
    return [(file.name.partition(".")[0], sql) for file in files for sql in file.read_text().splitlines()]


def codes(sql: str) -> set[str]:
    """Return the codes of what is found in one query."""
    return {item.code for item in graph_of(model("main.query", sql)).diagnostics}
