"""The memory of compilations: what is redone, what is believed, what is survived."""

import random
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.compiler.projects import compile_project, compile_root, load_project

from lamina.api import compile_cache, compiling
from lamina.api.compile_cache import BASE, CHANGES, OBJECTS
from lamina.compiler import compile_query
from lamina.compiler.graph import Graph
from lamina.compiler.query.object import QueryObject
from lamina.project.cache_file import FOLDER
from lamina.values.names import ColumnName, ModelName
from lamina.values.schema import Column, DataType

PATH = f"{FOLDER}/{BASE}"

FILES = {
    "lamina.toml": '[project]\nname = "shop"\n[vars]\nleast = { type = "int", value = "${LEAST:-1}" }\n',
    "sources/raw.toml": '[source.raw]\ntype = "files"\npath = "data"\n[source.raw.tables.orders]\n'
    'columns = [{ name = "id", type = "bigint" }, { name = "amount", type = "int" }]\n',
    "models/sales/orders.sql": "SELECT id, amount FROM raw.orders WHERE amount > @least\n",
    "models/sales/totals.sql": "SELECT id, sum(amount) AS total FROM orders GROUP BY id\n",
    "models/sales/top.sql": "SELECT id FROM totals WHERE total > 10\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write a small project."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the text of every query that is compiled."""
    texts: list[str] = []
    original = compile_query.compile_queries

    def noting(queries: Iterable[compile_query.QueryText]) -> list[QueryObject]:
        noted = list(queries)
        texts.extend(query.text for query in noted)
        return original(noted)

    monkeypatch.setattr(compile_query, "compile_queries", noting)
    return texts


def fresh(root: Path, variables: dict[str, str] | None = None) -> Graph:
    """Compile without any memory."""
    return compile_project(load_project(str(root), variables or {}))


def test_an_unchanged_project_compiles_nothing(root: Path, compiled: list[str]) -> None:
    first = compile_root(str(root), {})
    assert len(compiled) == 3
    compiled.clear()
    assert compile_root(str(root), {}) == first == fresh(root)
    assert compiled == [FILES[path] for path in sorted(FILES) if path.endswith(".sql")]  # by `fresh` only


def test_an_edit_compiles_the_edited_query_only(root: Path, compiled: list[str]) -> None:
    compile_root(str(root), {})
    compiled.clear()
    edited = "SELECT id, amount + 1 AS amount FROM raw.orders\n"
    (root / "models/sales/orders.sql").write_text(edited)
    graph = compile_root(str(root), {})
    assert compiled == [edited]
    assert graph == fresh(root)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("models/sales/orders.sql", "SELECT id, CAST(amount AS bigint) AS amount FROM raw.orders\n"),
        ("models/sales/orders.sql", "SELECT id FROM raw.orders\n"),
        ("models/sales/orders.sql", "SELECT (\n"),
        ("models/sales/orders.toml", '[strategy]\ntype = "ephemeral"\n'),
        ("models/sales/totals.toml", 'description = "Totals"\n[[columns]]\nname = "total"\ntype = "string"\n'),
        ("models/main/orders.sql", "SELECT 1 AS id, 2 AS amount\n"),
        ("models/sales/totals.sql", "SELECT id, 1 AS total FROM top\n"),
        ("lamina.toml", '[project]\nname = "shop"\n[vars]\nleast = { type = "bigint", value = "2" }\n'),
        ("lamina.toml", '[project]\nname = "shop"\n'),
        ("sources/raw.toml", FILES["sources/raw.toml"].replace("int", "double")),
        ("seeds/days.csv", "day\n2026-01-01\n"),
    ],
)
def test_memory_never_changes_the_answer(path: str, text: str, root: Path) -> None:
    compile_root(str(root), {})
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text(text)
    assert compile_root(str(root), {}) == fresh(root)
    assert compile_root(str(root), {}) == fresh(root)
    if path not in FILES:
        (root / path).unlink()
        assert compile_root(str(root), {}) == fresh(root)


def test_a_new_model_takes_over_a_bare_name(root: Path) -> None:
    (root / "models/main").mkdir()
    (root / "models/main/days.sql").write_text("SELECT 1 AS id")
    (root / "models/sales/reader.sql").write_text("SELECT id FROM days")
    assert compile_root(str(root), {}).model(ModelName("sales.reader")).depends_on == ("main.days",)
    (root / "models/sales/days.sql").write_text("SELECT 2 AS id")
    graph = compile_root(str(root), {})
    assert graph.model(ModelName("sales.reader")).depends_on == ("sales.days",)
    assert graph == fresh(root)


def test_environment_variables_that_a_file_names_count(root: Path) -> None:
    first = compile_root(str(root), {"LEAST": "1", "OTHER": "1"})
    assert compile_root(str(root), {"LEAST": "1", "OTHER": "2"}) == first
    changed = compile_root(str(root), {"LEAST": "7"})
    assert changed.variables[0].value == "7"
    assert changed == fresh(root, {"LEAST": "7"})


EDITED = "SELECT id, amount + 1 AS amount FROM raw.orders\n"


@pytest.mark.parametrize("name", [BASE, OBJECTS, CHANGES])
@pytest.mark.parametrize("cut", [0, 1, 10, 500, -1])
def test_a_damaged_file_is_ignored(name: str, cut: int, root: Path) -> None:
    compile_root(str(root), {})
    (root / "models/sales/orders.sql").write_text(EDITED)
    graph = compile_root(str(root), {})
    file = root / FOLDER / name
    file.write_bytes(file.read_bytes()[:cut])
    assert compile_root(str(root), {}) == graph == fresh(root)
    (root / "models/sales/orders.sql").write_text(FILES["models/sales/orders.sql"])
    assert compile_root(str(root), {}) == fresh(root)


def test_every_single_changed_byte_is_survived(root: Path) -> None:
    compile_root(str(root), {})
    (root / "models/sales/orders.sql").write_text(EDITED)
    graph = compile_root(str(root), {})
    files = {name: (root / FOLDER / name).read_bytes() for name in (BASE, CHANGES)}
    for name, whole in files.items():
        for position in range(0, len(whole), max(1, len(whole) // 60)):
            damaged = bytearray(whole)
            damaged[position] ^= 0xFF
            for other, content in files.items():
                (root / FOLDER / other).write_bytes(content)
            (root / FOLDER / name).write_bytes(damaged)
            assert compile_root(str(root), {}) == graph


def test_changes_of_another_base_are_ignored(root: Path) -> None:
    compile_root(str(root), {})
    (root / "models/sales/orders.sql").write_text(EDITED)
    compile_root(str(root), {})
    changes = (root / FOLDER / CHANGES).read_bytes()
    (root / "models/sales/more.sql").write_text("SELECT 1 AS id")
    compile_root(str(root), {})
    assert not (root / FOLDER / CHANGES).exists()
    (root / "models/sales/orders.sql").write_text(FILES["models/sales/orders.sql"])
    (root / FOLDER / CHANGES).write_bytes(changes)
    assert compile_root(str(root), {}) == fresh(root)


def test_changes_of_a_base_with_other_source_columns_are_ignored(root: Path) -> None:
    (root / "sources/raw.toml").write_text('[source.raw]\ntype = "files"\n[source.raw.tables.orders]\npath = "data"\n')
    orders = root / "models/sales/orders.sql"

    def compiled_with(kind: str) -> Graph:
        columns = (Column(ColumnName("id"), DataType("int")), Column(ColumnName("amount"), DataType(kind)))
        return compile_root(str(root), {}, source_schema=lambda _: columns)

    compiled_with("int")
    orders.write_text(EDITED)
    compiled_with("int")
    changes = (root / FOLDER / CHANGES).read_bytes()
    orders.write_text(FILES["models/sales/orders.sql"])
    compiled_with("double")
    (root / FOLDER / CHANGES).write_bytes(changes)
    orders.write_text(EDITED)
    kinds = {str(item.name): item.type for item in compiled_with("double").models[0].columns or ()}
    assert kinds["amount"] == "double"


def test_an_edit_is_written_beside_the_base_until_there_are_many(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_root(str(root), {})
    base = (root / PATH).read_bytes()
    (root / "models/sales/orders.sql").write_text(EDITED)
    compile_root(str(root), {})
    assert (root / PATH).read_bytes() == base
    monkeypatch.setattr(compile_cache, "FEW_CHANGES", 0)
    (root / "models/sales/top.sql").write_text("SELECT id, total FROM totals\n")
    graph = compile_root(str(root), {})
    assert (root / PATH).read_bytes() != base
    assert not (root / FOLDER / CHANGES).exists()
    assert compile_root(str(root), {}) == graph == fresh(root)


QUERIES = {
    "models/sales/orders.sql": [
        "SELECT id, amount FROM raw.orders WHERE amount > @least",
        "SELECT id, amount * 2 AS amount FROM raw.orders",
        "SELECT id, CAST(amount AS double) AS amount FROM raw.orders",
        "SELECT id FROM raw.orders",
        "SELECT id, amount FROM raw.ordres",
        "SELECT (",
    ],
    "models/sales/clean.sql": ["SELECT id, amount FROM orders", "SELECT id, amount, 1 AS one FROM orders WHERE id > 0"],
    "models/sales/totals.sql": [
        "SELECT id, sum(amount) AS total FROM clean GROUP BY id",
        "SELECT * FROM clean",
        "SELECT id, total FROM top",
        "WITH clean AS (SELECT 1 AS id, 2 AS total) SELECT * FROM clean",
    ],
    "models/sales/top.sql": ["SELECT id FROM totals WHERE total > 10", "SELECT id, upper(total) AS total FROM totals"],
}


@pytest.mark.parametrize("seed", range(6))
def test_any_series_of_edits_compiles_to_what_a_fresh_compilation_gives(seed: int, root: Path) -> None:
    chance = random.Random(seed)
    (root / "models/sales/clean.toml").write_text('[strategy]\ntype = "ephemeral"\n')
    for path, texts in QUERIES.items():
        (root / path).write_text(texts[0])
    for _ in range(12):
        for path in chance.sample(sorted(QUERIES), chance.choice([1, 1, 2])):
            (root / path).write_text(chance.choice(QUERIES[path]))
        assert compile_root(str(root), {}) == fresh(root)


def test_another_version_of_the_code_believes_nothing(
    root: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_root(str(root), {})
    compiled.clear()
    monkeypatch.setattr(compiling, "code_version", lambda: "another")
    compile_root(str(root), {})
    assert len(compiled) == 3


def test_a_folder_that_cannot_be_written_is_compiled_anyway(root: Path) -> None:
    (root / ".lamina").write_text("not a folder")
    assert len(compile_root(str(root), {}).models) == 3


def test_two_processes_do_not_disturb_each_other(root: Path) -> None:
    code = (
        "import sys, lamina\n"
        "for _ in range(15):\n"
        "    open(sys.argv[1] + '/models/sales/orders.sql', 'a').write('-- ' + sys.argv[2] + '\\n')\n"
        "    assert len(lamina.open(sys.argv[1]).graph.models) == 3\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, str(root), name]) for name in ("one", "two")]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    assert compile_root(str(root), {}) == fresh(root)
    assert {item.name for item in (root / FOLDER).iterdir()} <= {BASE, OBJECTS, CHANGES}


def test_an_unchanged_project_needs_no_parser(root: Path) -> None:
    compile_root(str(root), {})
    code = (
        "import sys, lamina\nlamina.open(sys.argv[1]).graph\n"
        "assert not {'sqlglot', 'pyspark', 'pyarrow'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(root)], check=False).returncode == 0
