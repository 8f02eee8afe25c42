"""The fingerprints that queries had before models they read were renamed: only then is nothing rebuilt by a rename."""

from pathlib import Path

import pytest
from tests.compiler.projects import compile_project, load_project
from tests.compiler.test_fingerprint_projects import FILES

from lamina.compiler.graph import Graph
from lamina.compiler.identity.changes import compare
from lamina.compiler.identity.former import choices_of
from lamina.values.names import ModelName, TableName

SOLD = {
    "models/sales/sold.sql": FILES["models/sales/orders.sql"],
    "models/sales/sold.toml": 'renamed_from = "sales.orders"\n',
    "models/sales/totals.sql": "SELECT customer, SUM(double) AS total FROM sales.sold GROUP BY customer",
    "models/sales/scored.toml": 'depends_on = ["sales.sold"]\n',
    "models/sales/_scoring.py": FILES["models/sales/_scoring.py"].replace("sales.orders", "sales.sold"),
}
MORE = {
    "models/sales/joined.sql": "SELECT o.id FROM sales.orders AS o JOIN sales.named AS n ON o.id = n.id",
    "models/sales/past.sql": "SELECT id, double FROM orders",
    "models/sales/past.toml": '[strategy]\ntype = "incremental"\ndriver = "orders"\n',
}
BOTH = {
    "models/sales/named_now.sql": FILES["models/sales/named.sql"],
    "models/sales/named_now.toml": 'renamed_from = "sales.named"\n',
    "models/sales/joined.sql": "SELECT o.id FROM sales.sold AS o JOIN sales.named_now AS n ON o.id = n.id",
    "models/sales/past.sql": "SELECT id, double FROM sold",
    "models/sales/past.toml": '[strategy]\ntype = "incremental"\ndriver = "sold"\n',
}


def made(root: Path, edits: dict[str, str], *gone: str) -> Graph:
    """Compile the project with some files edited, and some models gone."""
    removed = {f"models/sales/{name}.{kind}" for name in gone for kind in ("sql", "toml")}
    for path, text in ({name: text for name, text in FILES.items() if name not in removed} | edits).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    graph = compile_project(load_project(str(root), {}))
    assert [item for item in graph.diagnostics if item.severity == "error"] == []
    return graph


def test_a_reader_knows_what_its_query_was_called_before(tmp_path: Path) -> None:
    before, after = made(tmp_path / "a", {}), made(tmp_path / "b", SOLD, "orders")
    was, now = before.model(ModelName("sales.totals")), after.model(ModelName("sales.totals"))
    assert was.fingerprint != now.fingerprint
    assert now.former_fingerprints == {"sales.sold": was.fingerprint}
    assert was.former_fingerprints == {}
    moved = after.model(ModelName("sales.sold"))
    assert moved.fingerprint == before.model(ModelName("sales.orders")).fingerprint


def test_some_or_all_of_its_inputs_may_have_had_former_names(tmp_path: Path) -> None:
    before = made(tmp_path / "a", MORE)
    after = made(tmp_path / "b", {**MORE, **SOLD, **BOTH}, "orders", "named")
    joined = after.model(ModelName("sales.joined"))
    assert set(joined.former_fingerprints) == {"sales.named_now", "sales.sold", "sales.named_now sales.sold"}
    both = joined.former_fingerprints["sales.named_now sales.sold"]
    assert both == before.model(ModelName("sales.joined")).fingerprint
    past = after.model(ModelName("sales.past"))
    assert past.former_fingerprints == {"sales.sold": before.model(ModelName("sales.past")).fingerprint}


def test_another_edit_of_a_reader_is_a_change(tmp_path: Path) -> None:
    before = made(tmp_path / "a", {})
    edited = {"models/sales/totals.sql": "SELECT customer, MAX(double) AS total FROM sales.sold GROUP BY customer"}
    now = made(tmp_path / "b", {**SOLD, **edited}, "orders").model(ModelName("sales.totals"))
    assert before.model(ModelName("sales.totals")).fingerprint not in now.former_fingerprints.values()


def test_an_ephemeral_model_with_another_name_is_the_same_code_in_its_reader(tmp_path: Path) -> None:
    edits = {
        "models/sales/latest.sql": FILES["models/sales/recent.sql"],
        "models/sales/latest.toml": 'renamed_from = "sales.recent"\n[strategy]\ntype = "ephemeral"\n',
        "models/sales/orders.sql": FILES["models/sales/orders.sql"].replace("recent", "latest"),
    }
    before, after = made(tmp_path / "a", {}), made(tmp_path / "b", edits, "recent")
    orders = after.model(ModelName("sales.orders"))
    assert orders.former_fingerprints == {"sales.latest": before.model(ModelName("sales.orders")).fingerprint}


def test_a_diff_says_renamed_and_leaves_readers_alone(tmp_path: Path) -> None:
    changes = compare(made(tmp_path / "a", {}), made(tmp_path / "b", SOLD, "orders"))
    found = {change.model: change for change in changes}
    assert (found[ModelName("sales.sold")].change, found[ModelName("sales.sold")].blast_radius) == ("renamed", ())
    assert found[ModelName("sales.totals")].change == "metadata"
    # What a Python model does with a name cannot be seen.
    assert found[ModelName("sales.scored")].change == "rows_changed"
    assert ModelName("sales.orders") not in found


@pytest.mark.parametrize(("count", "expected"), [(0, 0), (1, 1), (2, 3), (4, 15), (5, 6)])
def test_many_renamed_inputs_are_not_combined_in_every_way(count: int, expected: int) -> None:
    assert len(list(choices_of(TableName(f"m.t{number}") for number in range(count)))) == expected
