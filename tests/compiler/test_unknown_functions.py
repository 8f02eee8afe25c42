"""Functions that Spark does not have: found by name, at their place, and only where no project could bring them."""

from pathlib import Path

import pytest
from tests.compiler.projects import compile_project, graph_of, load_project, model

from lamina.compiler.problems.unknown_functions import ELSEWHERE, SYNTAX, meant_function
from lamina.compiler.types.functions.facts import KNOWN


def unknown(sql: str) -> list[str]:
    """Return the messages about functions of a query."""
    return [item.message for item in graph_of(model("main.query", sql)).diagnostics if item.code == "L217"]


@pytest.mark.parametrize("name", ["lenght", "LENGHT", "to_dat", "iff", "strpos", "timestamp_diff", "generate_series"])
def test_a_function_spark_lacks_is_found(name: str) -> None:
    assert unknown(f"SELECT {name}(a, b, c) AS x FROM t") == [f"Spark has no function `{name}`"]


@pytest.mark.parametrize("sql", ["SELECT a FROM rnage(3)", "SELECT a FROM t LATERAL VIEW explod(b) e AS a"])
def test_a_function_that_makes_rows_is_found(sql: str) -> None:
    assert len(unknown(sql)) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT tools.lenght(a) FROM t",
        "SELECT /*+ REPARTITION(3), COALESCE(2), SHUFFLE_HASH(t) */ a FROM t",
        "SELECT 'lenght(a)', a /* lenght(a) */ FROM t -- lenght(a)",
        "WITH lenght (a) AS (SELECT 1) SELECT lenght.a FROM lenght",
        "SELECT a FROM t AS lenght (a)",
        "SELECT sum(a) OVER lenght FROM t WINDOW lenght AS (ORDER BY a)",
        "SELECT IDENTIFIER('upper')(a), a::varchar(3), CAST(a AS decimal(10, 2)), TIMEDIFF(DAY, a, b) FROM t",
        "SELECT a FROM t TABLESAMPLE (10 PERCENT) WHERE a IN (1) AND EXISTS (SELECT 1) GROUP BY ROLLUP (a)",
        "SELECT * FROM t PIVOT (sum(a) FOR b IN (1, 2))",
    ],
)
def test_other_words_before_brackets_are_no_functions(sql: str) -> None:
    assert unknown(sql) == []


def test_no_function_of_spark_is_accused() -> None:
    names = sorted(KNOWN - {"between", "case", "cast", "when"})
    texts = [f"SELECT {name}(a, b) AS x, {name.upper()}  (a) AS y, {name}() AS z FROM t" for name in names]
    assert [message for text in texts for message in unknown(text)] == []


def test_functions_of_other_databases_lead_to_functions_of_spark() -> None:
    assert set(ELSEWHERE.values()) <= KNOWN | SYNTAX
    assert not ELSEWHERE.keys() & KNOWN
    assert meant_function("STRPOS") == "instr"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("lamina.toml", '[project]\nname = "shop"\n[spark]\nconf = { "spark.sql.extensions" = "org.example.All" }\n'),
        ("lamina.toml", '[project]\nname = "shop"\n[spark]\nremote = "sc://localhost"\n'),
        (
            "models/tools.py",
            "def model(ctx):\n    ctx.spark.udf.register('lenght', len)\n    return ctx.spark.range(1)\n",
        ),
    ],
)
def test_nothing_is_said_where_the_project_may_bring_functions(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "lamina.toml").write_text('[project]\nname = "shop"\n')
    (tmp_path / "models" / "orders.sql").write_text("SELECT lenght('a') AS a")
    assert "L217" in {item.code for item in compile_project(load_project(str(tmp_path), {})).diagnostics}
    (tmp_path / file).write_text(text)
    assert "L217" not in {item.code for item in compile_project(load_project(str(tmp_path), {})).diagnostics}
