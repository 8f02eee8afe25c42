"""What each looking command answers about the quickstart project."""

import json
from pathlib import Path
from typing import Any

import pytest

from lamina.api.starter import start_project
from lamina.cli.app import run_command
from lamina.cli.documents import document_of
from lamina.values.codec import from_json


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop") / "shop"
    start_project(str(folder), "quickstart")
    return folder


class Command:
    """Run commands in this process and read what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str], root: Path) -> None:
        self.capsys, self.root = capsys, root

    def json(self, name: str, *arguments: str) -> dict[str, Any]:
        code = run_command(name, [*arguments, "--project-dir", str(self.root), "--output", "json"])
        document: dict[str, Any] = json.loads(self.capsys.readouterr().out)
        assert document["exit_code"] == code
        assert document["command"] == name
        return document

    def text(self, name: str, *arguments: str) -> str:
        assert run_command(name, [*arguments, "--project-dir", str(self.root), "--output", "text"]) == 0
        return self.capsys.readouterr().out


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], shop: Path) -> Command:
    return Command(capsys, shop)


def test_the_quickstart_compiles_without_a_finding(run: Command) -> None:
    document = run.json("compile")
    assert (document["status"], document["diagnostics"]) == ("ok", [])
    types = {
        (model["model"], column["name"]): column["type"] for model in document["models"] for column in model["columns"]
    }
    assert types["sales.daily_revenue", "revenue"] == "decimal(20,2)"
    assert "unknown" not in types.values()


def test_the_example_is_the_template() -> None:
    example = Path(__file__).parents[2] / "examples/quickstart"
    assert example.is_symlink()
    assert (example / "lamina.toml").is_file()


def test_list_prints_models_in_build_order(run: Command) -> None:
    names = [model["model"] for model in run.json("list", "-s", "+daily_revenue")["models"]]
    assert names == ["staging.orders", "sales.completed_orders", "sales.daily_revenue"]
    assert "sales.daily_revenue" in run.text("list", "--exclude", "tag:staging")


def test_list_names_models_that_do_not_compile(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    start_project(str(tmp_path / "shop"), "quickstart")
    with open(tmp_path / "shop/models/staging/customers.toml", "a", encoding="utf-8") as file:
        file.write("[strategy]\n")
    run = Command(capsys, tmp_path / "shop")
    faults = {model["model"]: model["fault"] for model in run.json("list")["models"]}
    assert faults["staging.orders"] is None
    assert "`strategy` is set twice" in faults["staging.customers"]
    assert faults["sales.country_revenue"] == "`staging.customers` does not compile"
    assert "`staging.customers` does not compile" in run.text("list")


def test_config_says_where_a_value_came_from(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMINA_RUN_RETRIES", "4")
    settings = {item["key"]: item for item in run.json("config")["settings"]}
    assert settings["run.retries"] == {"key": "run.retries", "value": 4, "origin": "LAMINA_RUN_RETRIES"}
    assert "LAMINA_RUN_RETRIES" in run.text("config")


def test_explain_shows_inputs_and_readers(run: Command) -> None:
    document = run.json("explain", "daily_revenue")
    assert document["read_by"] == ["sales.weekday_revenue"]
    assert document["inputs"][0]["filter_column"] == "order_date"
    text = run.text("explain", "daily_revenue")
    assert "staging.orders: amount, customer_id, order_date, status  [sliced by order_date]" in text


def test_explain_shows_how_far_an_input_is_read(run: Command) -> None:
    folder = run.root / "models" / "sales"
    (folder / "around.toml").write_text(
        'start = "2026-04-01"\n[strategy]\ntype = "time_interval"\ntime_column = "order_date"\n'
        '[inputs."daily_revenue"]\nwindow = { before = "1 day", after = "2 days" }\n'
    )
    (folder / "around.sql").write_text(
        "SELECT o.order_date, count(n.order_date) AS near FROM sales.daily_revenue AS o "
        "JOIN sales.daily_revenue AS n ON n.order_date >= o.order_date - INTERVAL 1 DAY "
        "AND n.order_date <= o.order_date + INTERVAL 2 DAYS "
        "WHERE o.order_date >= @start_date AND o.order_date < @end_date GROUP BY o.order_date\n"
    )
    (found,) = run.json("explain", "sales.around")["inputs"]
    assert (found["reach_seconds"], found["after_seconds"]) == (86400, 172800)
    text = run.text("explain", "sales.around")
    assert "[sliced by order_date; reads 1 day before and 2 days after the slice]" in text
    assert "is read from 1 day before up to 2 days after the slice, as declared" in text


def test_render_fills_in_tables_and_bounds(run: Command) -> None:
    document = run.json("render", "daily_revenue", "--partition", "2026-04-05")
    assert "order_date >= DATE '2026-04-05'" in document["sql"]
    assert "`lake`.`staging`.`orders`" in document["sql"]
    assert document["parameters"]["end_date"] == {"type": "date", "value": "2026-04-06"}
    assert run.text("render", "daily_revenue").startswith("WITH")


def test_lineage_follows_a_column_both_ways(run: Command) -> None:
    document = run.json("lineage", "staging.orders.amount")
    up = [(item["model"], item["column"], item["kind"]) for item in document["upstream"]]
    down = {(item["model"], item["column"], item["kind"]) for item in document["downstream"]}
    assert up == [("raw.orders", "amount", "direct")]
    assert ("sales.daily_revenue", "revenue", "aggregation") in down
    assert run.json("lineage", "staging.orders.amount", "--up")["downstream"] == []


def test_lineage_can_be_drawn(run: Command) -> None:
    assert '"raw.orders" -> "staging.orders";' in run.text("lineage", "orders", "--format", "dot")
    assert run.text("lineage", "orders", "--format", "mermaid").startswith("flowchart LR\n")


def test_an_unknown_model_is_wrong_usage(run: Command) -> None:
    assert run_command("explain", ["nope", "--project-dir", str(run.root)]) == 64
    assert "error[L101]: no model `nope`" in run.capsys.readouterr().err


def test_init_never_overwrites(run: Command) -> None:
    assert run.json("init", str(run.root))["diagnostics"][0]["code"] == "L134"


def test_rule_explains_a_code_by_code_or_name(run: Command) -> None:
    assert run.json("rule", "l110")["rules"] == run.json("rule", "UnknownKey")["rules"]
    assert "Fix: use the nearest known key" in run.text("rule", "L110")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_name_every_command(run: Command, shell: str) -> None:
    script = run.text("completions", shell)
    assert all(name in script for name in ("compile", "lineage", "render"))


def test_pending_lists_what_was_never_built(run: Command) -> None:
    document = run.json("pending", "-s", "sales.daily_revenue", "--execution-time", "2026-04-04T06:00")
    assert [(item["model"], item["start"], item["end"], item["status"]) for item in document["pending"]] == [
        ("sales.daily_revenue", "2026-04-01T00:00:00Z", "2026-04-04T00:00:00Z", "not_built")
    ]
    text = run.text("pending", "-s", "sales.daily_revenue", "--execution-time", "2026-04-04T06:00")
    assert "sales.daily_revenue  not built  2026-04-01 to 2026-04-03  first build" in text
    assert text.endswith("1 range of 1 model pending: 1 not built; next due 2026-04-05T00:00:00Z\n")


def test_a_printed_document_of_looking_is_its_schema(run: Command) -> None:
    for name, *arguments in (("pending",), ("explain", "daily_revenue", "--execution-time", "2026-04-04T06:00")):
        printed, fields = run.json(name, *arguments), document_of(name)
        assert list(printed) == list(fields)
        for field, kind in fields.items():
            from_json(json.dumps(printed[field]), kind)


def test_explain_says_why_a_model_is_not_due(run: Command) -> None:
    text = run.text("explain", "daily_revenue", "--execution-time", "2026-03-10T06:00")
    assert text.startswith("sales.daily_revenue at 2026-03-10T06:00:00Z: nothing is due before 2026-04-02T00:00Z\n")
    assert "due       nothing before 2026-04-02T00:00:00Z\n" in text
    assert "staging.orders  not built: first build" in text
    assert "incrementality" not in text


def test_explain_of_a_model_without_a_table_has_no_time(run: Command, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["completed_orders", "--execution-time", "2026-04-04T06:00", "--project-dir", str(run.root)]
    assert run_command("explain", arguments) == 64
    assert "is ephemeral: it has no table" in capsys.readouterr().err


def test_what_does_not_compile_is_pending_and_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    start_project(str(tmp_path / "shop"), "quickstart")
    (tmp_path / "shop/models/sales/country_revenue.sql").write_text("SELECT nope FROM staging.orders")
    time = ["--execution-time", "2026-04-04T06:00", "--project-dir", str(tmp_path / "shop"), "--output", "json"]
    assert run_command("pending", ["-s", "sales.country_revenue", *time]) == 1
    (item,) = json.loads(capsys.readouterr().out)["pending"]
    assert (item["model"], item["status"]) == ("sales.country_revenue", "failed")
    assert item["reason"].startswith("it does not compile: no input of the query has a column `nope`")
    assert run_command("explain", ["country_revenue", *time]) == 0
    assert json.loads(capsys.readouterr().out)["at"]["pending"] == [item]
