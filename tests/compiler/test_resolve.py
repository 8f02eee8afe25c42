"""Names in queries: which table they stand for, what is suggested, what a CTE hides."""

import pytest
from tests.compiler.projects import graph_of, model, source

from lamina.compiler.resolve import Names
from lamina.values.names import ModelName

NAMES = Names(
    ["sales.orders", "main.days", "main.orders", "web.clicks", "web.visits", "eu.rates", "us.rates"],
    ["raw.orders", "raw.clicks", "lake.raw.events"],
    default_schema="main",
)


@pytest.mark.parametrize(
    ("parts", "schema", "table"),
    [
        (("orders",), "sales", "sales.orders"),
        (("orders",), "other", "main.orders"),
        (("days",), "sales", "main.days"),
        (("RAW", "Orders"), "sales", "raw.orders"),
        (("lake", "raw", "events"), "sales", "lake.raw.events"),
        (("lake", "sales", "orders"), "sales", None),
        (("raw", "missing"), "sales", None),
        (("clicks",), "sales", "web.clicks"),
        (("Visits",), "sales", "web.visits"),
        (("rates",), "sales", None),
        (("events",), "sales", None),
    ],
)
def test_a_name_stands_for_one_table(parts: tuple[str, ...], schema: str, table: str | None) -> None:
    assert NAMES.resolve(parts, schema=schema) == table


@pytest.mark.parametrize(
    ("query", "reads"),
    [
        ("SELECT id FROM raw.a", {"raw.a"}),
        ("WITH c AS (SELECT id FROM raw.a) SELECT id FROM c", {"raw.a"}),
        ("SELECT id FROM (SELECT id FROM raw.a) s", {"raw.a"}),
        ("SELECT id FROM raw.a UNION ALL SELECT id FROM raw.b", {"raw.a", "raw.b"}),
        ("SELECT id FROM raw.a WHERE id IN (SELECT id FROM raw.b)", {"raw.a", "raw.b"}),
        ("SELECT id FROM raw.a WHERE EXISTS (SELECT 1 FROM raw.b)", {"raw.a", "raw.b"}),
        ("SELECT (SELECT max(id) FROM raw.b) AS id FROM raw.a", {"raw.a", "raw.b"}),
        ("SELECT a.id FROM raw.a a, LATERAL (SELECT id FROM raw.b b WHERE b.id = a.id) x", {"raw.a", "raw.b"}),
        ("SELECT id FROM raw.a JOIN raw.b USING (id)", {"raw.a", "raw.b"}),
        # A CTE hides a model of its name, also inside later CTEs; its own body still sees the model.
        ("WITH m AS (SELECT id FROM raw.a) SELECT id FROM m", {"raw.a"}),
        ("WITH m AS (SELECT id FROM m) SELECT id FROM m", {"main.m"}),
        ("WITH x AS (SELECT id FROM raw.a), m AS (SELECT id FROM x) SELECT id FROM m", {"raw.a"}),
        (
            "WITH x AS (WITH m AS (SELECT id FROM raw.a) SELECT id FROM m) SELECT x.id FROM x JOIN m ON true",
            {"raw.a", "main.m"},
        ),
        ("SELECT id FROM (WITH m AS (SELECT id FROM raw.a) SELECT id FROM m) s", {"raw.a"}),
        ("WITH m AS (SELECT id FROM raw.a) SELECT id FROM main.m", {"raw.a", "main.m"}),
    ],
)
def test_every_clause_is_looked_into(query: str, reads: set[str]) -> None:
    graph = graph_of(
        source("raw.a", "id bigint"),
        source("raw.b", "id bigint"),
        model("main.m", "SELECT 1 AS id"),
        model("main.q", query),
    )
    assert set(graph.model(ModelName("main.q")).depends_on) == reads
    assert [item for item in graph.diagnostics if item.severity == "error"] == []


@pytest.mark.parametrize(
    ("name", "close"), [("custmers", "customers"), ("sales.custmers", "sales.customers"), ("zzzzzzzz", None)]
)
def test_an_unknown_name_offers_only_a_close_one(name: str, close: str | None) -> None:
    graph = graph_of(model("sales.customers", "SELECT 1 AS id"), model("sales.orders", f"SELECT id FROM {name}"))
    finding = next(item for item in graph.diagnostics if item.code == "L201")
    assert finding.suggestion == close
    assert finding.place is not None
    assert (finding.place.line, finding.place.column) == (1, 16)


def test_a_bare_name_that_several_schemas_have_is_an_error_that_names_them() -> None:
    rates = [model(f"{schema}.rates", "SELECT 1 AS id") for schema in ("eu", "us")]
    graph = graph_of(*rates, model("sales.orders", "SELECT id FROM rates"))
    (finding,) = graph.diagnostics
    assert (finding.code, finding.message) == ("L201", "`rates` could be more than one table")
    assert finding.hint == "write one of `eu.rates`, `us.rates`"


@pytest.mark.parametrize(
    ("name", "close"),
    [
        (("ordrs",), "orders"),  # a model, though a seed is as close
        (("countris",), "countries"),
        (("rate",), "eu.rates"),  # the bare name would not say which
        (("web", "orders"), "sales.orders"),
    ],
)
def test_models_are_offered_before_seeds(name: tuple[str, ...], close: str) -> None:
    models = ["sales.orders", "main.ords", "main.countries", "eu.rates", "us.rates"]
    names = Names(models, [], default_schema="main", seeds=["main.ords", "main.countries"])
    assert names.nearest(name, schema="mart") == close


def test_settings_may_add_inputs() -> None:
    graph = graph_of(model("main.a", "SELECT 1 AS id"), model("main.b", "SELECT 2 AS id", depends_on=("a",)))
    assert graph.layers == (("main.a",), ("main.b",))
    assert graph.models[1].inputs[0].read_set is None


@pytest.mark.parametrize("written", ["old", "sales.old", "SALES.Old"])
def test_a_disabled_model_differs_from_an_unknown_one(written: str) -> None:
    names = Names(["sales.orders"], [], default_schema="main", disabled=["sales.old"])
    parts = tuple(written.split("."))
    assert names.resolve(parts, schema="sales") is None
    assert names.is_disabled(parts, schema="sales")
    assert not names.is_disabled(("other",), schema="sales")
