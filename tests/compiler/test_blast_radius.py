"""Who may see a changed column: every column of a model whose rows it decides, and of all its readers."""

import pytest
from tests.compiler.projects import graph_of, model, source

from lamina.compiler.graph import Graph
from lamina.compiler.identity.changes import compare
from lamina.project.strategy import DeleteInsert, FullRefresh, Merge, Strategy, TimeInterval
from lamina.values.names import ColumnName

RAW = (source("raw.a", "id bigint, amt int, day date"), source("raw.p", "id bigint, limit_of int"))
ROWS = {"main.b": None, "main.c": None}  # of all columns, and which rows there are
ID, AMT, DAY = ColumnName("id"), ColumnName("amt"), ColumnName("day")


def project(expression: str, reader: str, strategy: Strategy) -> Graph:
    """Return `a`, whose column `amt` is written like that, the reader `b` of `a`, and `c`, which reads `id` of `b`."""
    return graph_of(
        *RAW,
        model("main.a", f"SELECT id, {expression} AS amt, day FROM raw.a"),
        model("main.b", reader, strategy=strategy),
        model("main.c", "SELECT id FROM main.b"),
    )


def radius(reader: str, strategy: Strategy | None = None) -> dict[str, tuple[str, ...] | None]:
    """Return who is affected by a change of `a.amt`."""
    old, new = (project(text, reader, strategy or FullRefresh()) for text in ("amt", "amt * 2"))
    assert [item for item in new.diagnostics if item.severity == "error"] == []
    changes = {str(change.model): change for change in compare(old, new)}
    assert [column.name for column in changes["main.a"].columns] == ["amt"]
    return {str(item.model): item.columns for item in changes["main.a"].blast_radius}


@pytest.mark.parametrize(
    "reader",
    [
        "SELECT id, amt FROM main.a WHERE amt > 0",
        "SELECT id, amt FROM main.a GROUP BY id, amt",
        "SELECT max(id) AS id, amt FROM main.a GROUP BY amt",
        "SELECT id, sum(amt) AS amt FROM main.a GROUP BY id HAVING sum(amt) > 0",
        "SELECT a.id, amt FROM main.a JOIN raw.p ON limit_of = amt",
        "SELECT DISTINCT id, amt FROM main.a",
        "SELECT id, amt FROM main.a UNION SELECT id, limit_of FROM raw.p",
        "SELECT id, amt FROM main.a ORDER BY amt, id LIMIT 10",
        "SELECT id, amt FROM main.a WHERE amt IN (SELECT limit_of FROM raw.p)",
        "SELECT p.id, p.limit_of AS amt FROM raw.p WHERE EXISTS (SELECT 1 FROM main.a WHERE a.amt = p.limit_of)",
        "SELECT id, explode(sequence(1, amt)) AS amt FROM main.a",
        "WITH large AS (SELECT id, amt FROM main.a WHERE amt > 0) SELECT id, amt FROM large",
    ],
)
def test_a_column_that_decides_rows_affects_all_columns_and_readers(reader: str) -> None:
    assert radius(reader) == ROWS


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        ("SELECT id, amt FROM main.a", {"main.b": ("amt",)}),
        ("SELECT id, amt FROM main.a WHERE id > 0", {"main.b": ("amt",)}),
        ("SELECT id, sum(amt) AS amt FROM main.a GROUP BY id", {"main.b": ("amt",)}),
        ("SELECT id, amt FROM main.a UNION ALL SELECT id, limit_of FROM raw.p", {"main.b": ("amt",)}),
        ("SELECT id, rank() OVER (ORDER BY amt) AS r FROM main.a", {"main.b": ("r",)}),
        ("SELECT * FROM main.a", {"main.b": ("amt",)}),
        ("SELECT id, day FROM main.a", {}),
    ],
)
def test_a_column_that_decides_no_row_affects_what_is_built_on_it(
    reader: str, expected: dict[str, tuple[str, ...] | None]
) -> None:
    assert radius(reader) == expected


@pytest.mark.parametrize(
    "strategy",
    [
        Merge(unique_key=(AMT,)),
        Merge(unique_key=(ID,), order_by=(AMT,)),
        DeleteInsert(partition_by=(ColumnName("AMT"),)),
    ],
    ids=str,
)
def test_a_column_that_identifies_rows_decides_them(strategy: Strategy) -> None:
    assert radius("SELECT id, amt, day FROM main.a", strategy) == ROWS


def test_a_column_that_says_which_rows_are_new_decides_them() -> None:
    assert radius("SELECT id, day FROM main.a", Merge(unique_key=(ID,), timestamp_column=AMT)) == ROWS


def test_a_column_that_a_strategy_only_stores_decides_no_row() -> None:
    assert radius("SELECT id, amt, day FROM main.a", Merge(unique_key=(ID,))) == {"main.b": ("amt",)}


def test_the_key_of_the_changed_model_itself_decides_its_rows() -> None:
    def version(expression: str) -> Graph:
        text = f"SELECT id, {expression} AS day FROM raw.a WHERE day >= @start_date AND day < @end_date"
        made = model("main.a", text, strategy=TimeInterval(time_column=DAY))
        return graph_of(*RAW, made, model("main.b", "SELECT id FROM main.a"))

    changes = {str(item.model): item for item in compare(version("day"), version("coalesce(day, DATE '2026-01-01')"))}
    assert [(str(item.model), item.columns) for item in changes["main.a"].blast_radius] == [("main.b", None)]
