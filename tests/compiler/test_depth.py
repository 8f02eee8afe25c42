"""Queries that nest without end are refused before parsing, in bounded time, and never end the process."""

import json
import subprocess
import sys

import pytest

from lamina.compiler.compile_query import compile_query

SHAPES = {
    "brackets": "'SELECT ' + '(' * n + '1' + ')' * n + ' AS x'",
    "open_brackets": "'SELECT ' + '(' * n",
    "calls": "'SELECT ' + 'abs(' * n + '1' + ')' * n + ' AS x'",
    "structs": "'SELECT ' + 'struct(' * n + '1' + ')' * n + ' AS x'",
    "subqueries": "'SELECT a FROM ' + '(SELECT a FROM ' * n + 't' + ')' * n",
    "case": "'SELECT ' + 'CASE WHEN a THEN ' * n + '1' + ' END' * n + ' AS x'",
    "not": "'SELECT ' + 'NOT ' * n + 'a AS x'",
    "minus": "'SELECT ' + '- ' * n + 'a AS x'",
    "sum": "'SELECT ' + 'a + ' * n + 'a AS x'",
    "and": "'SELECT a FROM t WHERE ' + 'a = 1 AND ' * n + 'a = 1'",
    "or": "'SELECT a FROM t WHERE ' + 'a = 1 OR ' * n + 'a = 1'",
    "unions": "'SELECT a FROM t ' + 'UNION ALL SELECT a FROM t ' * n",
    "joins_without_condition": "'SELECT 1 AS x FROM t ' + 'JOIN t ' * n",
    "natural_joins": "'SELECT 1 AS x FROM t ' + 'NATURAL JOIN t ' * n",
    "items": "'SELECT a' + '[0]' * n + ' AS x FROM t'",
    "fields": "'SELECT a' + '.b' * n + ' AS x FROM t'",
    "types": "'SELECT CAST(a AS ' + 'array<' * n + 'int' + '>' * n + ') AS x FROM t'",
    "exists": "'SELECT a FROM t WHERE ' + 'EXISTS (SELECT 1 FROM t WHERE ' * n + 'true' + ')' * n",
}
SIZES = (10, 30, 100, 1_000, 10_000, 100_000)
CODE = """
import json, sys, time
from lamina.compiler.compile_query import compile_query
for name, shape in json.loads(sys.argv[1]).items():
    answers = []
    for n in json.loads(sys.argv[2]):
        text = eval(shape)[:1_000_000]
        started = time.process_time()
        query = compile_query(text, ".".join, needs_shape=True)
        answers.append((n, [item.code for item in query.diagnostics], time.process_time() - started))
    print(json.dumps((name, answers)), flush=True)
"""

Answers = list[tuple[int, list[str], float]]


@pytest.fixture(scope="module")
def answers() -> dict[str, Answers]:
    """Compile everything in a process of its own, which a crash would end early."""
    command = [sys.executable, "-c", CODE, json.dumps(SHAPES), json.dumps(SIZES)]
    process = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    return dict(json.loads(line) for line in process.stdout.splitlines())


@pytest.mark.parametrize("shape", SHAPES)
def test_any_depth_ends_in_an_answer(shape: str, answers: dict[str, Answers]) -> None:
    found = answers[shape]
    assert [codes for n, codes, _ in found if n >= 1_000] == [["L208"]] * 3
    assert all(seconds < 20 for _, _, seconds in found)
    assert found[0][1] == ([] if shape != "open_brackets" else ["L207"])


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM t WHERE a IN (" + ", ".join("1" for _ in range(20_000)) + ")",
        "SELECT " + ", ".join(f"a{number}" for number in range(5_000)) + " FROM t",
        "SELECT CASE " + "WHEN a = 1 THEN 2 " * 2_000 + "END AS x FROM t",
        "SELECT 1 AS x FROM t " + "JOIN t ON true " * 500,
        "SELECT 1 AS x FROM t " + "CROSS JOIN t " * 500,
        "SELECT a FROM t WHERE " + " AND ".join(f"a <> {number}" for number in range(200)),
        "VALUES " + ", ".join("(1, 'a')" for _ in range(5_000)),
    ],
    ids=["in_list", "columns", "case_branches", "joins", "cross_joins", "conditions", "values"],
)
def test_long_but_flat_queries_are_compiled(text: str) -> None:
    assert compile_query(text, ".".join, needs_shape=False).diagnostics == ()
