"""Queries that Spark refuses are found by the rule they are kept under; those it accepts are never accused by it."""

from pathlib import Path

import pytest
from tests.compiler.projects import graph_of, model

FOLDER = Path(__file__).parents[1] / "fixtures" / "refusals"


def queries(kind: str) -> list[tuple[str, str]]:
    """Return the queries of all rules, one on each line of a file, each with the code of its rule."""
    files = sorted(FOLDER.glob(f"*.{kind}.sql"))
    return [(file.name.partition(".")[0], sql) for file in files for sql in file.read_text().splitlines()]


def codes(sql: str) -> set[str]:
    """Return the codes of what is found in one query."""
    return {item.code for item in graph_of(model("main.query", sql)).diagnostics}


@pytest.mark.parametrize(("code", "sql"), queries("refused"))
def test_what_spark_refuses_is_found(code: str, sql: str) -> None:
    assert code in codes(sql)


@pytest.mark.parametrize(("code", "sql"), queries("accepted"))
def test_what_spark_accepts_is_not_accused(code: str, sql: str) -> None:
    assert code not in codes(sql)
