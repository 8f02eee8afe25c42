"""Fingerprints and diffs of whole projects, from files to graph: what an edit of a file does to each model."""

from pathlib import Path

import pytest
from tests.compiler.projects import compile_project, load_project

from lamina.compiler.graph import Graph
from lamina.compiler.identity.changes import compare

FILES = {
    "lamina.toml": '[project]\nname = "shop"\n\n[vars]\nminimum = { type = "int", value = "1" }\n',
    "sources/raw.toml": """
[source.raw]
type = "files"
format = "csv"
path = "data"
[source.raw.tables.orders]
columns = [{ name = "id", type = "int" }, { name = "customer", type = "int" }, { name = "amount", type = "int" }]
[source.raw.tables.customers]
columns = [{ name = "customer", type = "int" }, { name = "name", type = "string" }]
""",
    "models/sales/recent.sql": "SELECT id, customer, amount FROM raw.orders WHERE amount > @minimum",
    "models/sales/recent.toml": '[strategy]\ntype = "ephemeral"\n',
    "models/sales/orders.sql": "SELECT id, customer, amount * 2 AS double FROM sales.recent",
    "models/sales/named.sql": "SELECT id, name FROM raw.orders NATURAL JOIN raw.customers",
    "models/sales/totals.sql": "SELECT customer, SUM(double) AS total FROM sales.orders GROUP BY customer",
    "models/sales/scored.py": "from models.sales._scoring import score\n\ndef model(ctx):\n    return score(ctx)\n",
    "models/sales/scored.toml": 'depends_on = ["sales.orders"]\n',
    "models/sales/_scoring.py": "def score(ctx):\n    return ctx.table('sales.orders')\n",
}


def graph_of(root: Path, edits: dict[str, str]) -> Graph:
    """Write the project with some files edited and compile it."""
    for path, text in {**FILES, **edits}.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    graph = compile_project(load_project(str(root), {}))
    assert [item for item in graph.diagnostics if item.severity == "error"] == []
    return graph


def changed(tmp_path: Path, edits: dict[str, str]) -> list[str]:
    """Return the models whose fingerprint an edit changes."""
    before = {model.name: model.fingerprint for model in graph_of(tmp_path / "a", {}).models}
    after = {model.name: model.fingerprint for model in graph_of(tmp_path / "b", edits).models}
    return sorted(name for name in before if before[name] != after[name])


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "models/sales/totals.sql",
            "SELECT o.customer, SUM(o.double) AS total\nFROM orders o -- mine\nGROUP BY 1",
            ["totals"],
        ),
        (
            "models/sales/totals.sql",
            "SELECT t.customer, SUM(t.double) AS total\nFROM orders t\nGROUP BY t.customer",
            [],
        ),
        ("models/sales/orders.sql", "SELECT id, customer, amount * 3 AS double FROM sales.recent", ["orders"]),
        (
            "models/sales/recent.sql",
            "SELECT id, customer, amount FROM raw.orders WHERE amount > 1",
            ["orders", "recent"],
        ),
        ("models/sales/recent.toml", 'owner = "me"\n[strategy]\ntype = "ephemeral"\n', []),
        ("models/sales/orders.toml", 'cron = "@daily"\ntags = ["core"]\n', []),
        ("models/sales/orders.toml", 'partitioned_by = ["customer"]\n', ["orders"]),
        ("models/sales/_scoring.py", "def score(ctx):  # the same\n    return ctx.table('sales.orders')\n", []),
        ("models/sales/_scoring.py", "def score(ctx):\n    return ctx.table('sales.orders').limit(1)\n", ["scored"]),
        # A Python model may look at every variable.
        ("lamina.toml", FILES["lamina.toml"].replace('value = "1"', 'value = "2"'), ["orders", "recent", "scored"]),
        ("sources/raw.toml", FILES["sources/raw.toml"].replace('type = "string"', 'type = "binary"'), []),
        (
            "sources/raw.toml",
            FILES["sources/raw.toml"].replace('"name",', '"amount", type = "int" }, { name = "name",'),
            ["named"],
        ),
    ],
)
def test_an_edit_changes_just_the_fingerprints_it_should(
    path: str, text: str, expected: list[str], tmp_path: Path
) -> None:
    assert changed(tmp_path, {path: text}) == [f"sales.{name}" for name in expected]


def test_a_changed_column_of_an_ephemeral_model_reaches_its_readers_column_by_column(tmp_path: Path) -> None:
    edited = "SELECT id, customer, amount + 1 AS amount FROM raw.orders WHERE raw.orders.amount > @minimum"
    changes = compare(graph_of(tmp_path / "a", {}), graph_of(tmp_path / "b", {"models/sales/recent.sql": edited}))
    orders = next(change for change in changes if change.model == "sales.orders")
    assert (orders.change, [column.name for column in orders.columns]) == ("column_changed", ["double"])
    assert [(item.model, item.columns) for item in orders.blast_radius] == [
        ("sales.scored", None),
        ("sales.totals", ("total",)),
    ]


def test_the_same_project_has_no_changes(tmp_path: Path) -> None:
    changes = compare(graph_of(tmp_path / "a", {}), graph_of(tmp_path / "b", {}))
    assert {change.change for change in changes} == {"unchanged"}
