"""Inputs that are filtered to the batch for the user: the text that is compiled, and where faults are shown."""

from pathlib import Path

import pytest
from tests.compiler.projects import compile_root, ephemeral, graph_of, model, project, source
from tests.simulation.algebra import Expression, Group, Join, Keep, Pick, Read, Union, to_sql
from tests.simulation.project import EVENTS, FILES, NAMES

from lamina.compiler.batch_filters import filter_inputs
from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.query.parse import parse
from lamina.project.model import ModelFile
from lamina.project.source import SourceTable
from lamina.project.strategy import Microbatch, Strategy, TimeInterval
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import ColumnName, ModelName

CASES = sorted((Path(__file__).parents[1] / "fixtures" / "batch_filters").glob("*.sql"))
AT, DAY = ColumnName("at"), ColumnName("day")
ORDERS = source("raw.orders", "at timestamp, shop string, amount int").replace(time_column=AT)
PAYMENTS = source("raw.payments", "pay-at timestamp, paid int").replace(time_column=ColumnName("pay-at"))
SHOPS = source("raw.shops", "shop string, town string")
DAILY = model(
    "mart.daily",
    "SELECT to_date(at) AS day, sum(amount) AS n FROM raw.orders WHERE at >= @start_ts AND at < @end_ts GROUP BY 1",
    strategy=TimeInterval(time_column=DAY),
)


def sales(text: str, *, strategy: Strategy | None = None, **settings: object) -> ModelFile:
    return model("mart.sales", text, strategy=strategy or Microbatch(time_column=AT), **settings)


def graph(text: str, *, strategy: Strategy | None = None, **settings: object) -> Graph:
    return graph_of(ORDERS, PAYMENTS, SHOPS, DAILY, sales(text, strategy=strategy, **settings))


def compiled(text: str, *, strategy: Strategy | None = None, **settings: object) -> CompiledModel:
    found = graph(text, strategy=strategy, **settings)
    assert [item for item in found.diagnostics if item.severity == "error"] == []
    return found.model(ModelName("mart.sales"))


def filtered(text: str, *parts: ModelFile | SourceTable, zone: str = "UTC") -> str:
    made = project(ORDERS, PAYMENTS, SHOPS, DAILY, sales(text, timezone=zone), *parts)
    return next(item.text for item in filter_inputs(made, made.sources).project.models if item.name == "mart.sales")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_each_input_with_a_time_column_is_filtered(path: Path) -> None:
    before, after = path.read_text().split("-- becomes\n")
    assert filtered(before) == after
    assert filtered(after) == after
    assert isinstance(parse(after), Diagnostic) == (path.stem == "broken")


def test_other_strategies_are_left_alone() -> None:
    found = project(ORDERS, sales("SELECT at FROM raw.orders", strategy=TimeInterval(time_column=AT)))
    assert filter_inputs(found, found.sources).project == found


@pytest.mark.parametrize(
    ("kind", "zone", "bound"),
    [
        ("timestamp", "UTC", "@start_date"),
        ("timestamp", "Europe/Stockholm", "@start_ts"),
        ("timestamp_ntz", "Europe/Stockholm", "@start_ts"),
        ("date", "Europe/Stockholm", "@start_date"),
        ("", "Europe/Stockholm", "@start_date"),
    ],
)
def test_outside_utc_a_timestamp_is_compared_with_instants(kind: str, zone: str, bound: str) -> None:
    columns = f"at {kind}, amount int" if kind else ""
    events = source("raw.events", columns).replace(time_column=AT)
    assert f"`at` >= {bound} AND" in filtered("SELECT at FROM raw.events", events, zone=zone)


def test_a_microbatch_is_the_interval_model_with_the_filters_written_out() -> None:
    short = compiled("SELECT o.at, s.town FROM raw.orders o JOIN raw.shops s ON s.shop = o.shop")
    by_hand = compiled(
        """
        WITH o AS (SELECT * FROM raw.orders WHERE at >= @start_date AND at < @end_date)
        SELECT o.at, s.town FROM o JOIN raw.shops s ON s.shop = o.shop
        """,
        strategy=TimeInterval(time_column=AT, granularity="hour"),
    )
    assert short.inputs == by_hand.inputs
    assert {use.name: use.filter_column for use in short.inputs} == {"raw.orders": "at", "raw.shops": None}
    assert short.reads_parameters == ("end_date", "start_date")
    assert short.columns == by_hand.columns


def test_only_the_name_of_the_strategy_differs_from_an_interval_model_of_the_same_text() -> None:
    text = "SELECT at, amount FROM raw.orders WHERE at >= @start_date AND at < @end_date"
    one, other = (
        compiled(text, strategy=strategy)
        for strategy in (Microbatch(time_column=AT), TimeInterval(time_column=AT, granularity="hour"))
    )
    assert one.fingerprint == other.fingerprint


def test_the_declared_time_column_of_a_source_is_part_of_the_query() -> None:
    one = graph_of(ORDERS, sales("SELECT at FROM raw.orders")).model(ModelName("mart.sales"))
    moved = ORDERS.replace(time_column=ColumnName("shop"))
    other = graph_of(moved, sales("SELECT at FROM raw.orders")).model(ModelName("mart.sales"))
    assert one.fingerprint != other.fingerprint


def test_a_reach_outside_the_batch_is_refused_as_if_the_filter_were_written() -> None:
    text = "SELECT at, sum(amount) OVER (ORDER BY at ROWS 2 PRECEDING) AS recent FROM raw.orders"
    assert "L415" in {item.code for item in graph(text).diagnostics}


def test_an_ephemeral_input_is_not_a_direct_one() -> None:
    found = graph_of(ORDERS, ephemeral("mart.plain", "SELECT at FROM raw.orders"), sales("SELECT at FROM mart.plain"))
    assert [item.severity for item in found.diagnostics if item.model == "mart.sales"] == ["error"]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT at, missing FROM raw.orders",
        "SELECT at FROM raw.orders WHERE missing > 0",
        "SELECT raw.orders.at FROM raw.orders\nWHERE orders.missing > 0 AND at IS NOT NULL",
        "SELECT raw.orders.at, missing FROM raw.orders JOIN raw.payments ON paid = orders.amount AND missing = 1",
        "SELECT o.at FROM raw.orders o JOIN raw.payments p ON p.paid = o.missing\nJOIN raw.shops s ON s.missing = 1",
    ],
)
def test_faults_are_shown_where_the_user_wrote_them(text: str) -> None:
    found = [item for item in graph(text).diagnostics if "missing" in item.message]
    lines = text.split("\n")
    assert found
    for item in found:
        assert item.line is not None
        assert item.column is not None
        assert lines[item.line - 1][item.column - 1 :].startswith(
            ("missing", "orders.missing", "o.missing", "s.missing")
        )


def test_a_fault_of_the_filter_is_shown_at_its_table() -> None:
    lost = ORDERS.replace(time_column=ColumnName("gone"))
    found = graph_of(lost, sales("SELECT at,\n  amount FROM raw.orders")).diagnostics
    places = {(item.line, item.column) for item in found if item.file == "models/mart/sales.sql"}
    assert places == {(2, 15)}


PROJECT = {
    "lamina.toml": '[project]\nname = "shop"\n',
    "sources/raw.toml": """
[source.raw]
type = "files"
format = "csv"
path = "data"
[source.raw.tables.orders]
time_column = "at"
columns = [{ name = "at", type = "timestamp" }, { name = "amount", type = "int" }]
""",
    "models/mart/sales.sql": "SELECT at, amount FROM raw.orders",
    "models/mart/sales.toml": '[strategy]\ntype = "microbatch"\nevent_time = "at"\nbegin = 2026-04-01\n',
    "models/mart/total.sql": "SELECT sum(amount) AS amount FROM mart.sales",
}


def test_a_project_that_is_compiled_again_has_the_same_filters(tmp_path: Path) -> None:
    for path, text in PROJECT.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    first = compile_root(str(tmp_path), {})
    assert first.diagnostics == ()
    assert first.model(ModelName("mart.sales")).settings.start == "2026-04-01"
    assert compile_root(str(tmp_path), {}) == first
    (tmp_path / "models/mart/total.sql").write_text("SELECT max(amount) AS amount FROM mart.sales")
    edited = compile_root(str(tmp_path), {})
    assert edited.model(ModelName("mart.sales")) == first.model(ModelName("mart.sales"))
    (tmp_path / "models/mart/sales.sql").write_text("SELECT at, amount FROM raw.orders WHERE missing = 1")
    (found,) = compile_root(str(tmp_path), {}).diagnostics
    assert (found.line, found.column) == (1, 41)
    toml = (tmp_path / "sources/raw.toml").read_text()
    (tmp_path / "sources/raw.toml").write_text(toml.replace('time_column = "at"\n', ""))
    (tmp_path / "models/mart/sales.sql").write_text("SELECT at, amount FROM raw.orders")
    assert "@start_date" not in compile_root(str(tmp_path), {}).model(ModelName("mart.sales")).text


def _read(table: str, time: str, columns: str) -> Read:
    return Read(table, tuple(columns.split()), by=time)


QUERIES: dict[str, Expression] = {
    "rows": Keep(_read("raw.events", "ts", "ts key status amount"), "amount", ">", 1),
    "groups": Group(
        Pick(
            _read("raw.events", "ts", "ts key amount"),
            (("day", "ts", "day"), ("key", "key", "same"), ("amount", "amount", 1)),
        ),
        ("day", "key"),
        (("amount", "sum", "amount"),),
    ),
    "dimension": Join(
        _read("raw.events", "ts", "ts key amount"),
        Group(Read("raw.names", ("key", "weight")), ("key",), (("weight", "max", "weight"),)),
        ("key",),
    ),
    "union": Union(_read("raw.events", "ts", "ts key"), _read("raw.files", "ts", "ts key")),
}


@pytest.mark.parametrize("name", QUERIES)
def test_queries_without_bounds_are_proven_like_those_with_them(name: str) -> None:
    """The queries of the simulation, whose filters are known to be right, with the filters taken away."""
    query, time = to_sql(QUERIES[name]), ColumnName("day" if name == "groups" else "ts")
    bare = query.replace(" WHERE ts >= @start_date AND ts < @end_date", "")
    assert "@" not in bare
    found = [
        graph_of(EVENTS, FILES, NAMES, model("m.t", text, strategy=strategy)).model(ModelName("m.t"))
        for text, strategy in (
            (query, TimeInterval(time_column=time)),
            (bare, Microbatch(time_column=time, granularity="day")),
        )
    ]
    assert found[0].inputs == found[1].inputs
    assert {use.filter_column for use in found[1].inputs if use.name != "raw.names"} == {"ts"}
    assert found[0].columns == found[1].columns
