"""Queries that Spark refuses, and those it accepts, as fixtures keep them; and what compiling finds in one."""

import tomllib
from functools import cache
from pathlib import Path

from tests.compiler.projects import graph_of, model, source

from lamina.project.source import SourceTable
from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType

FOLDER = Path(__file__).parents[1] / "fixtures" / "refusals"


def queries(kind: str) -> list[tuple[str, str]]:
    """Return the queries of all rules, one on each line of a file, each with the code of its rule."""
    files = sorted(FOLDER.glob(f"*.{kind}.sql"))
    return [(file.name.partition(".")[0], sql) for file in files for sql in file.read_text().splitlines()]


def codes(sql: str) -> set[str]:
    """Return the codes of what is found in one query, where the columns of its tables are known and where not."""
    query = model("main.query", sql)
    graphs = graph_of(query), graph_of(query, *tables())
    return {item.code for graph in graphs for item in graph.diagnostics}


@cache
def tables() -> tuple[SourceTable, ...]:
    """Return the tables that the queries read."""
    written = tomllib.loads((FOLDER / "tables.toml").read_text())
    return tuple(
        source(f"main.{name}", "").replace(
            columns=tuple(Column(name=ColumnName(field), type=DataType(kind)) for field, kind in columns.items())
        )
        for name, columns in written.items()
    )
