"""The memory of compilations: what is redone, what is believed, what is survived."""

import subprocess
import sys
from pathlib import Path

import pytest

from lamina import api
from lamina.api import compile_project, compile_root, load_project
from lamina.compiler import objects
from lamina.compiler.graph import Graph
from lamina.project.cache_file import PATH

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
    original = objects.compile_object

    def noting(task: objects.ObjectTask, names: object) -> object:
        texts.append(task.text)
        return original(task, names)  # type: ignore[arg-type]

    monkeypatch.setattr(objects, "compile_object", noting)
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
    assert compile_root(str(root), {}).model("sales.reader").depends_on == ("main.days",)  # type: ignore[arg-type]
    (root / "models/sales/days.sql").write_text("SELECT 2 AS id")
    graph = compile_root(str(root), {})
    assert graph.model("sales.reader").depends_on == ("sales.days",)  # type: ignore[arg-type]
    assert graph == fresh(root)


def test_environment_variables_that_a_file_names_count(root: Path) -> None:
    first = compile_root(str(root), {"LEAST": "1", "OTHER": "1"})
    assert compile_root(str(root), {"LEAST": "1", "OTHER": "2"}) == first
    changed = compile_root(str(root), {"LEAST": "7"})
    assert changed.variables[0].value == "7"
    assert changed == fresh(root, {"LEAST": "7"})


@pytest.mark.parametrize("cut", [0, 1, 10, 500, -1])
def test_a_damaged_file_is_ignored(cut: int, root: Path) -> None:
    graph = compile_root(str(root), {})
    file = root / PATH
    file.write_bytes(file.read_bytes()[:cut])
    assert compile_root(str(root), {}) == graph


def test_every_single_changed_byte_is_survived(root: Path) -> None:
    graph = compile_root(str(root), {})
    whole = (root / PATH).read_bytes()
    for position in range(0, len(whole), max(1, len(whole) // 60)):
        damaged = bytearray(whole)
        damaged[position] ^= 0xFF
        (root / PATH).write_bytes(damaged)
        assert compile_root(str(root), {}) == graph


def test_another_version_of_the_code_believes_nothing(
    root: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_root(str(root), {})
    compiled.clear()
    monkeypatch.setattr(api, "code_version", lambda: "another")
    compile_root(str(root), {})
    assert len(compiled) == 3


def test_a_folder_that_cannot_be_written_is_compiled_anyway(root: Path) -> None:
    (root / ".lamina").write_text("not a folder")
    assert len(compile_root(str(root), {}).models) == 3


def test_two_processes_do_not_disturb_each_other(root: Path) -> None:
    code = (
        "import sys\nfrom lamina.api import compile_root\n"
        "for _ in range(15):\n"
        "    open(sys.argv[1] + '/models/sales/orders.sql', 'a').write('-- ' + sys.argv[2] + '\\n')\n"
        "    assert len(compile_root(sys.argv[1], {}).models) == 3\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, str(root), name]) for name in ("one", "two")]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    assert compile_root(str(root), {}) == fresh(root)
    assert [item.name for item in (root / PATH).parent.iterdir()] == [Path(PATH).name]


def test_an_unchanged_project_needs_no_parser(root: Path) -> None:
    compile_root(str(root), {})
    code = (
        "import sys\nfrom lamina.api import compile_root\ncompile_root(sys.argv[1], {})\n"
        "assert not {'sqlglot', 'pyspark', 'pyarrow'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(root)], check=False).returncode == 0
