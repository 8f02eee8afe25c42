"""Rules as a user meets them: through ephemeral models, allowed for one model, and remembered by a warm compile."""

import os
from pathlib import Path

import pytest
from tests.compiler.projects import compile_project, compile_root, load_project

from lamina.compiler.explanation import explain_incrementality, meets_slices
from lamina.compiler.graph import Graph
from lamina.values.names import ModelName

SOURCE = """
[source.raw]
type = "files"
path = "data"
[source.raw.tables.orders]
time_column = "order_ts"
columns = [
    { name = "order_id", type = "bigint", nullable = false },
    { name = "amount", type = "double" },
    { name = "order_ts", type = "timestamp" },
]
"""
INTERVAL = '[strategy]\ntype = "time_interval"\ntime_column = "{column}"\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with one source and no model."""
    (tmp_path / "lamina.toml").write_text('[project]\nname = "shop"\n')
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "raw.toml").write_text(SOURCE)
    (tmp_path / "models" / "sales").mkdir(parents=True)
    return tmp_path


def write(project: Path, name: str, sql: str, *, sidecar: str = "") -> None:
    """Write a model of the schema `sales`."""
    folder = project / "models" / "sales"
    (folder / f"{name}.sql").write_text(sql)
    if sidecar:
        (folder / f"{name}.toml").write_text(sidecar)


def compiled(project: Path) -> Graph:
    """Compile without remembering."""
    return compile_project(load_project(os.fspath(project), {}))


def found(graph: Graph) -> list[tuple[str, str, str]]:
    """Return severity, code and place of every finding."""
    return [(item.severity, item.code, str(item.place)) for item in graph.diagnostics]


def test_an_ephemeral_input_is_judged_where_it_is_inlined(project: Path) -> None:
    write(project, "totals", "SELECT count(*) AS n\nFROM raw.orders", sidecar='[strategy]\ntype = "ephemeral"\n')
    write(project, "appended", "SELECT n FROM sales.totals", sidecar='[strategy]\ntype = "incremental"\n')
    assert found(compiled(project)) == [("error", "L401", "models/sales/totals.sql:1:8")]


def test_a_range_filter_may_be_in_an_ephemeral_model(project: Path) -> None:
    sql = "SELECT order_ts, amount FROM raw.orders WHERE order_ts >= @start_date AND order_ts < @end_date"
    write(project, "recent", sql, sidecar='[strategy]\ntype = "ephemeral"\n')
    write(
        project,
        "daily",
        "SELECT to_date(order_ts) AS day, sum(amount) AS amount FROM recent GROUP BY 1",
        sidecar=INTERVAL.format(column="day"),
    )
    graph = compiled(project)
    assert found(graph) == []
    steps = explain_incrementality(graph, graph.model(ModelName("sales.daily")))
    assert steps[0] == "`raw.orders` is read for exactly the range of the slice"


def test_a_filter_on_an_ephemeral_model_reaches_its_input(project: Path) -> None:
    write(project, "cut", "SELECT order_ts AS ts, amount FROM raw.orders", sidecar='[strategy]\ntype = "ephemeral"\n')
    write(project, "again", "SELECT ts AS at, amount FROM cut", sidecar='[strategy]\ntype = "ephemeral"\n')
    sql = "SELECT at, amount FROM again WHERE at >= @start_date AND at < @end_date"
    write(project, "sliced", sql, sidecar=INTERVAL.format(column="at"))
    assert found(compiled(project)) == []


PAST = """
SELECT o.order_ts, o.amount + b.amount AS amount FROM raw.orders o
CROSS JOIN (SELECT max(amount) AS amount FROM sales.balance WHERE {cut}) b
WHERE o.order_ts >= @start_ts AND o.order_ts < @end_ts
"""
ONE_BY_ONE = INTERVAL.format(column="order_ts") + "batch_size = 1\n"


def test_a_model_that_reads_its_own_past_is_explained_as_it_is_compiled(project: Path) -> None:
    write(project, "balance", PAST.format(cut="order_ts < @start_ts"), sidecar=ONE_BY_ONE)
    graph = compiled(project)
    assert found(graph) == []
    steps = explain_incrementality(graph, graph.model(ModelName("sales.balance")))
    assert "`sales.balance` is its own past: all slices after a rebuilt one follow" in steps


def test_the_own_past_is_cut_by_its_time_column(project: Path) -> None:
    write(project, "balance", PAST.format(cut="amount < @start_ts"), sidecar=ONE_BY_ONE)
    graph = compiled(project)
    assert ("error", "L413", "models/sales/balance.sql:3:53") in found(graph)
    (line,) = explain_incrementality(graph, graph.model(ModelName("sales.balance")))
    assert line.endswith("[L413]")


def test_slices_are_computed_one_by_one_only_where_rows_of_two_may_meet(project: Path) -> None:
    cut = "FROM raw.orders WHERE order_ts >= @start_ts AND order_ts < @end_ts"
    write(project, "plain", f"SELECT order_ts, amount {cut}", sidecar=ONE_BY_ONE)
    write(project, "totals", f"SELECT @start_ts AS order_ts, sum(amount) AS amount {cut}", sidecar=ONE_BY_ONE)
    write(project, "balance", PAST.format(cut="order_ts < @start_ts"), sidecar=INTERVAL.format(column="order_ts"))
    graph = compiled(project)
    assert found(graph) == []
    together = [model.name for model in graph.models if meets_slices(graph, model)]
    assert together == ["sales.balance", "sales.totals"]


def test_an_allowed_code_stays_visible_as_information(project: Path) -> None:
    sidecar = 'allow = ["L402"]\n[strategy]\ntype = "incremental"\n'
    write(project, "appended", "SELECT DISTINCT order_id FROM raw.orders", sidecar=sidecar)
    graph = compiled(project)
    assert found(graph) == [("info", "L402", "models/sales/appended.sql:1:17")]
    assert graph.diagnostics[0].message.startswith("allowed: ")


def test_a_refused_model_is_explained_by_its_clause(project: Path) -> None:
    write(
        project, "appended", "SELECT DISTINCT order_id\nFROM raw.orders", sidecar='[strategy]\ntype = "incremental"\n'
    )
    graph = compiled(project)
    (line,) = explain_incrementality(graph, graph.model(ModelName("sales.appended")))
    assert line.startswith("models/sales/appended.sql:1:17: DISTINCT ")
    assert line.endswith("[L402]")


def test_a_warm_compile_repeats_every_finding(project: Path) -> None:
    write(project, "appended", "SELECT DISTINCT order_id FROM raw.orders", sidecar='[strategy]\ntype = "incremental"\n')
    first = compile_root(os.fspath(project), {})
    write(project, "other", "SELECT order_id FROM raw.orders")
    assert found(compile_root(os.fspath(project), {})) == found(first) == found(compiled(project))


def test_an_edited_input_is_judged_again_for_its_readers(project: Path) -> None:
    write(project, "rows", "SELECT order_id FROM raw.orders", sidecar='[strategy]\ntype = "ephemeral"\n')
    write(project, "appended", "SELECT order_id FROM rows", sidecar='[strategy]\ntype = "incremental"\n')
    assert found(compile_root(os.fspath(project), {})) == []
    write(project, "rows", "SELECT DISTINCT order_id FROM raw.orders")
    assert [code for _, code, _ in found(compile_root(os.fspath(project), {}))] == ["L402"]


def test_a_result_that_depends_on_order_is_marked_also_through_ephemeral_models(project: Path) -> None:
    sql = "SELECT order_id, row_number() OVER (ORDER BY order_ts) AS n FROM raw.orders"
    write(project, "numbered", sql, sidecar='[strategy]\ntype = "ephemeral"\n')
    write(project, "reader", "SELECT order_id, n FROM numbered")
    write(project, "plain", "SELECT order_id FROM raw.orders")
    graph = compiled(project)
    marked = {model.name for model in graph.models if model.depends_on_order}
    assert marked == {"sales.numbered", "sales.reader"}


def test_an_unknown_column_lists_the_known_ones_where_none_is_near(project: Path) -> None:
    write(project, "listed", "SELECT revenue FROM raw.orders")
    (item,) = compiled(project).diagnostics
    assert item.hint == "the columns are `order_id`, `amount`, `order_ts`"


@pytest.mark.parametrize("code", ["L211", "L999"])
def test_a_code_that_cannot_be_allowed_suggests_no_other_rule(project: Path, code: str) -> None:
    write(project, "allowing", "SELECT order_id FROM raw.orders", sidecar=f'allow = ["{code}"]\n')
    (item,) = compiled(project).diagnostics
    assert (item.code, item.suggestion) == ("L256", None)
