"""Unit tests of models on Spark: all values that rows can hold, passing, failing and broken tests in one session."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.play import Player, Step

import lamina
from lamina.values.tested import UnitTestReport, UnitTestResult
from lamina.warehouse.spark.session import Application

pytestmark = pytest.mark.spark

FILES = {
    "lamina.toml": '[project]\nname = "shop"\n\n[vars]\nleast = { type = "decimal(10,2)", value = "0.00" }\n',
    "sources/raw.toml": """[source.raw]
type = "files"
path = "data"

[source.raw.tables.events]
columns = [
  { name = "id", type = "int" },
  { name = "at", type = "timestamp" },
  { name = "local", type = "timestamp_ntz" },
  { name = "day", type = "date" },
  { name = "amount", type = "decimal(10,2)" },
  { name = "ratio", type = "double" },
  { name = "small", type = "float" },
  { name = "flag", type = "boolean" },
  { name = "note", type = "string" },
  { name = "bytes", type = "binary" },
  { name = "tags", type = "array<string>" },
  { name = "buyer", type = "struct<id:bigint,name:string,days:array<date>>" },
  { name = "counts", type = "map<int,decimal(5,1)>" },
]
""",
    "models/mart/copy.sql": "SELECT * FROM raw.events",
    "models/mart/large.sql": "SELECT id, amount FROM raw.events WHERE amount >= @least",
    "models/mart/large.toml": '[strategy]\ntype = "ephemeral"\n',
    "models/mart/daily.sql": """SELECT day, count(*) AS number, sum(amount) AS amount
FROM raw.events
WHERE day >= @start_date AND day < @end_date
GROUP BY day
""",
    "models/mart/daily.toml": """start = "2026-04-01"

[strategy]
type = "time_interval"
time_column = "day"
granularity = "day"
""",
    "models/mart/total.sql": "SELECT count(*) AS number, sum(amount) AS amount FROM large",
    "models/mart/inverse.sql": "SELECT\n  id,\n  1 / id AS inverse\nFROM raw.events",
    "models/mart/clock.sql": "SELECT @as_of AS day, @execution_time AS time, @least AS least FROM raw.events",
    "models/mart/counted.py": """def model(ctx):
    rows = ctx.table("mart.daily")
    return rows.selectExpr("day", f"number + {ctx.vars['least']} AS number", f"'{ctx.as_of}' AS as_of")
""",
    "models/mart/counted.toml": 'depends_on = ["mart.daily"]\n',
    "models/mart/chance.sql": "SELECT id, uuid() AS key FROM raw.events",
}
VALUES = """{ id = 1, at = 2026-04-07T10:00:00.123456+02:00, local = 2026-04-07T10:00:00, day = 2026-04-07,
 amount = "1.50", ratio = nan, small = 0.1, flag = true, note = "it's \\\\ a \\"text\\"\\n", bytes = "AP8=",
 tags = ["a", "b'"], buyer = { id = 7, days = ["2026-04-07"] }, counts = { 1 = "0.5", -2 = 3 } }""".replace("\n", "")


@pytest.fixture
def player(application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Player:
    """Return a project without tests."""
    player = Player(tmp_path, application, monkeypatch)
    player.write(FILES)
    return player


def run(player: Player, text: str) -> UnitTestReport:
    """Run the tests of one file."""
    player.write({"tests/t.toml": text})
    return lamina.open(player.folder).test()


def only(report: UnitTestReport) -> UnitTestResult:
    """Return the result of the only test."""
    (result,) = report.tests
    return result


def test_values_of_every_type_are_given_and_expected_as_they_are(player: Player) -> None:
    instant = VALUES.replace("2026-04-07T10:00:00.123456+02:00", '"2026-04-07T08:00:00.123456Z"')
    report = run(
        player,
        f"""[test.all]
model = "mart.copy"
given."raw.events" = [{VALUES}, {VALUES}, {{ id = 2, ratio = -0.0, tags = [], counts = {{}} }}]
expect = [{{ id = 2, ratio = 0.0, tags = [], counts = {{}} }}, {instant}, {instant}]
""",
    )
    assert only(report).status == "passed", report
    assert len(only(report).columns) == 13


@pytest.mark.parametrize(
    ("given", "expected", "missing", "extra"),
    [
        ("{ id = 1 }, { id = 1 }", "{ id = 1 }", [], [[1]]),
        ("{ id = 1 }", "{ id = 1 }, { id = 1 }", [[1]], []),
        ("{ id = 1, ratio = nan }", "{ id = 1, ratio = 0.0 }", [[1, 0.0]], [[1, "NaN"]]),
        ("{ id = 1, note = 'a' }", "{ id = 1 }, { note = 'b' }", [[1, None], [None, "b"]], [[1, "a"]]),
        ("{ at = 2026-04-07T10:00:00.000001Z }", "{ at = 2026-04-07T10:00:00Z }",
         [["2026-04-07T10:00:00Z"]], [["2026-04-07T10:00:00.000001Z"]]),
        ("{ buyer = { id = 1 } }", "{ buyer = { id = 1, name = '' } }",
         [[{"id": 1, "name": "", "days": None}]], [[{"id": 1, "name": None, "days": None}]]),
        ("{ tags = ['a', 'b'] }", "{ tags = ['b', 'a'] }", [[["b", "a"]]], [[["a", "b"]]]),
        ("{ counts = { 2 = 1, 1 = 1 } }", "{ counts = { 1 = 1, 2 = 1 } }", [], []),
        ("{ id = 1 }, { id = 2 }", "{}", [], [[]]),
    ],
)  # fmt: skip
def test_rows_are_compared_as_a_multiset_over_the_listed_columns(
    player: Player, given: str, expected: str, missing: list[Any], extra: list[Any]
) -> None:
    text = f'[test.t]\nmodel = "mart.copy"\ngiven."raw.events" = [{given}]\nexpect = [{expected}]\n'
    result = only(run(player, text))
    shown = {side: [list(row.values) for row in result.examples if row.side == side] for side in ("missing", "extra")}
    assert shown == {"missing": missing, "extra": extra}
    assert (result.missing, result.extra) == (len(missing), len(extra))
    assert result.status == ("failed" if missing or extra else "passed")


def test_one_session_runs_passing_failing_and_broken_tests(player: Player) -> None:
    player.write(
        {
            "tests/a.toml": """[test.slice]
model = "mart.daily"
partition = "2026-04-07"
given."raw.events" = [{ day = 2026-04-07, amount = 1 }, { day = 2026-04-08, amount = 9 }]
expect = [{ day = "2026-04-07", number = 1, amount = "1.00" }]

[test.no_rows]
model = "mart.daily"
partition = "2026-04-07"
given."raw.events" = [{ day = 2026-04-08, amount = 9 }]
expect = []

[test.null_is_expected]
model = "mart.total"
expect = [{ number = 0 }]
columns = ["amount"]

[test.one_value_is_other]
model = "mart.daily"
partition = "2026-04-07"
given."raw.events" = [{ day = 2026-04-07, amount = 1 }]
expect = [{ day = "2026-04-07", number = 2 }]

[test.divides]
model = "mart.inverse"
given."raw.events" = [{ id = 0 }]
expect = []

[test.variable_of_an_ephemeral_input]
model = "total"
parameters.least = 2
given."raw.events" = [{ amount = 1 }, { amount = 2 }]
expect = [{ number = 1 }]

[test.ephemeral_input_is_given]
model = "total"
given.large = [{ amount = 1 }, { amount = 2 }]
expect = [{ number = 2, amount = 3 }]

[test.times]
model = "mart.clock"
parameters = { as_of = "2026-04-08", least = "1.5" }
given."raw.events" = [{}]
expect = [{ day = "2026-04-08", time = "2026-04-08T00:00:00Z", least = 1.5 }]

[test.python]
model = "mart.counted"
parameters = { execution_time = "2026-04-09T01:00:00Z", least = 2 }
given."mart.daily" = [{ day = 2026-04-07, number = 1 }]
expect = [{ day = 2026-04-07, number = 3, as_of = "2026-04-09" }]

[test.python_without_contract]
model = "mart.counted"
given."mart.daily" = []
expect = [{ days = 1 }]
"""
        }
    )
    code, document = player.command("test", None)
    tests = {item["name"]: item for item in document["tests"]}
    others = {"one_value_is_other": "failed", "divides": "error", "python_without_contract": "error"}
    assert {name: item["status"] for name, item in tests.items() if item["status"] != "passed"} == others
    assert len(tests) == 10
    assert (code, document["status"]) == (1, "failed")
    divides = tests["divides"]["error"]
    assert (divides["file"], divides["line"]) == ("models/mart/inverse.sql", 3)
    assert "zero" in divides["message"]
    assert "SQLSTATE" not in json.dumps(divides)
    assert tests["python_without_contract"]["error"]["line"] == 55
    assert not (player.folder / ".lamina" / "lamina.db").exists()
    code, text = player.printed(Step(name="text", command="test -s mart.daily"), None)
    assert code == 1
    assert "one row differs in 1 of 2 columns, where day = 2026-04-07" in text
    assert "  column  expected  given by the model\n  number  2         1\n" in text
    assert "3 unit tests: 2 passed, 1 failed" in text


def test_a_model_that_does_not_compile_fails_its_own_tests_only(player: Player) -> None:
    player.write({"models/mart/inverse.sql": "SELECT nothing FROM raw.events"})
    text = '[test.a]\nmodel = "mart.inverse"\nexpect = []\n\n[test.b]\nmodel = "mart.copy"\nexpect = []\n'
    report = run(player, text)
    assert [item.status for item in report.tests] == ["error", "passed"]
    assert report.tests[0].error is not None
    assert "does not compile" in report.tests[0].error.message


def test_a_created_test_passes_and_is_not_written_twice(player: Player) -> None:
    rows = ", ".join(f"({number}, DATE'2026-04-0{number % 3 + 6}', {number})" for number in range(1, 30))
    folder = player.folder / "data" / "events"
    player._other_session().sql(f"SELECT * FROM VALUES {rows} AS t(id, day, amount)").selectExpr(
        "id", "timestamp'2026-04-07 10:00:00.5' AS at", "day", "CAST(amount AS DECIMAL(10,2)) AS amount",
        "double('NaN') AS ratio", "'a\"\\nb' AS note", "array(null, 'a') AS tags",
        "CAST(named_struct('id', id, 'name', null, 'days', array(day)) AS"
        " struct<id: bigint, name: string, days: array<date>>) AS buyer",
        "CAST(map(id, 1.5) AS map<int, decimal(5,1)>) AS counts",
    ).coalesce(1).write.parquet(str(folder))  # fmt: skip
    code, document = player.command("test --create daily --partition 2026-04-07", None)
    assert (code, document["created"]["rows_given"]) == (0, {"raw.events": 5})
    code, document = player.command("test --create copy", None)
    assert code == 0, document
    assert document["created"]["rows_expected"] == 5
    code, document = player.command("test", None)
    assert (code, [item["status"] for item in document["tests"]]) == (0, ["passed", "passed"])
    kept = (player.folder / "tests/mart.copy.toml").read_text()
    assert "ratio = nan" in kept
    assert "tags = " not in kept  # TOML has no null
    code, document = player.command("test --create mart.copy", None)
    assert (code, document["diagnostics"][0]["name"]) == (1, "UnitTestExists")
    code, document = player.command("test --create chance", None)
    assert (code, document["diagnostics"][0]["name"]) == (1, "RowsVary")
    code, document = player.command("test --create counted", None)
    assert "`mart.daily` has no rows yet" in document["diagnostics"][0]["message"]
    assert (player.folder / "tests/mart.copy.toml").read_text() == kept
    assert not (player.folder / "tests/mart.chance.toml").exists()
