"""The shape of the package: who may import whom, and what stays out of memory until it is needed."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

from lamina.project.source import SourceType

SOURCE = Path(__file__).parents[1] / "src" / "lamina"
FILES = sorted(path for path in SOURCE.rglob("*.py") if "templates" not in path.parts)  # templates are users' projects

# From top to bottom; a package may import those below it, and its own. `|` of the design: neither imports the other.
LEVELS = (
    ("__main__",),
    ("cli", "web"),
    ("api",),
    ("scheduler",),
    ("executor",),
    ("warehouse", "state"),
    ("planner",),
    ("compiler",),
    ("strategies", "config"),
    ("project",),
    ("errors",),
    ("values", "version"),
)
RANK = {name: rank for rank, names in enumerate(LEVELS) for name in names}
# Publishing moves table pointers and writes state in one transaction of one database, so state speaks to that catalog.
ALLOWED = {("state", f"lamina.warehouse.catalog.{name}") for name in ("port", "jdbc", "sqlite", "file_lock")}
# The rooms of the compiler, from top to bottom; `rules` are the findings that all of them make.
ROOMS = ("problems", "slices", "link", "identity", "query", "types")
NOUNS = ("graph", "subject", "rules")  # what rooms may know of the rest of the compiler
# Settings of strategies are asked through their traits. `explain` prints them as they are, in a document with a schema.
SETTINGS_OF_STRATEGIES = "lamina.project.strategy"
MAY_KNOW_STRATEGIES = ("project", "strategies", "compiler/report.py")
# The rooms of the warehouse, from top to bottom; of two on one level neither imports the other.
WAREHOUSE_ROOMS = (("spark",), ("sources",), ("iceberg", "files"), ("catalog",))
WITH_SPARK = ("spark", "sources")
# Who may name a kind of source, and where the same word means another thing.
NAMES_KINDS = {
    "project/source.py",
    "project/source_file.py",
    "warehouse/sources/kinds.py",
    "warehouse/spark/class_training.py",  # writes files, to read them
    "warehouse/sources/files.py",  # a detector
    "values/result.py",
    "project/project_file.py",  # the format of tables
    "warehouse/sources/jdbc_frames.py",  # the format of Spark's reader
    "warehouse/spark/profile.py",  # the type of the catalog
}
# The files of the api, from top to bottom: those that change for one reason are side by side.
API_LEVELS = (
    ("project",),
    (
        *("inspect", "run", "tables", "report", "pending", "at_time"),
        *("verify", "check", "freshness", "query", "diff", "upkeep", "created_test"),
    ),
    ("unit_tests", "foreseen"),
    ("engine",),
    ("state", "promoted", "asking", "stopping"),
    ("opened",),
    ("compiling", "settings", "custody", "project_root", "starter", "rulebook"),
    ("compile_cache", "parallel"),
)
API_RANK = {name: rank for rank, names in enumerate(API_LEVELS) for name in names}
PURE = ("values", "project", "compiler", "strategies", "planner")
IMPURE_MODULES = ("pyspark", "pyiceberg", "py4j", "sqlite3", "psycopg", "sqlalchemy", "time", "subprocess", "random")
# All that may know the driver of SQLite: what opens its file, for the state and for the catalog, what copies it, and
# what explains that it is busy in a run on Spark.
SQLITE_FILES = ["state/copies.py", "state/sqlite.py", "warehouse/catalog/sqlite.py", "warehouse/spark/errors.py"]
SQLITE_WORDS = re.compile(
    r"\browid\b|\bsqlite_|\bPRAGMA\b|\bAUTOINCREMENT\b|\bWITHOUT ROWID\b|\bBEGIN\b|\bINSERT OR\b|\bREPLACE INTO\b"
    r"|\?\d|[=(, ]:[a-z]|\bjson_|\bdatetime\(|\bstrftime\("
)
CLOCKS_AND_ENVIRONMENT = {
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "os.environ", "os.getenv", "os.environb",
}  # fmt: skip


def package_of(path: Path) -> str:
    """Return the first word below `lamina`: `compiler` for `lamina/compiler/link.py`."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@functools.cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return every node of a file's syntax tree."""
    return list(ast.walk(ast.parse(path.read_text())))


@functools.cache
def imports_of(path: Path) -> list[tuple[int, str]]:
    """Return every imported module with its line, those inside functions included."""
    found: list[tuple[int, str]] = []
    for node in nodes_of(path):
        match node:
            case ast.Import(names=names):
                found += [(node.lineno, alias.name) for alias in names]
            case ast.ImportFrom(module=module, names=names, level=0) if module is not None:
                # `from a import b` may name a module of package `a`: follow it as far as it is one.
                found += [(node.lineno, _module(module, alias.name)) for alias in names]
            case ast.ImportFrom():
                found.append((node.lineno, "."))
    return found


def _module(parent: str, name: str) -> str:
    if not parent.startswith("lamina"):
        return parent
    inside = SOURCE.parent.joinpath(*parent.split("."), name)
    return f"{parent}.{name}" if inside.is_dir() or inside.with_suffix(".py").is_file() else parent


def relative(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def upward_imports(path: Path) -> list[str]:
    """Return the imports of a file that do not point down."""
    package = package_of(path)
    if package == "__init__":
        return []  # the one place that offers everything
    wrong = []
    for line, module in imports_of(path):
        target = module.split(".")[1] if module.startswith("lamina.") else None
        if target is None or target not in RANK or target == package:
            continue
        if RANK[target] <= RANK[package] and (package, module) not in ALLOWED:
            wrong.append(f"{relative(path)}:{line}: {module}")
    return wrong


def room_imports(path: Path) -> list[str]:
    """Return the imports of a file in a room of the compiler that do not point to a room below."""
    parts = path.relative_to(SOURCE / "compiler").parts
    if parts[0] not in ROOMS:
        return []
    allowed = {*ROOMS[ROOMS.index(parts[0]) :], *NOUNS}
    modules = [(line, module.split(".")) for line, module in imports_of(path)]
    targets = [(line, names[2]) for line, names in modules if names[:2] == ["lamina", "compiler"] and len(names) > 2]
    return [f"{relative(path)}:{line}: {target}" for line, target in targets if target not in allowed]


def warehouse_imports(path: Path) -> list[str]:
    """Return the imports of a file of the warehouse that do not point to a room below, or to what all rooms know."""
    rank = {room: place for place, rooms in enumerate(WAREHOUSE_ROOMS) for room in rooms}
    own = path.relative_to(SOURCE / "warehouse").parts[0]
    wrong = []
    for line, module in imports_of(path):
        names = module.split(".")
        target = names[2] if names[:2] == ["lamina", "warehouse"] and len(names) > 2 else ""
        is_upward = target in rank and target != own and rank[target] <= rank.get(own, len(rank))
        if is_upward or (names[0] in ("pyspark", "py4j") and own not in WITH_SPARK):
            wrong.append(f"{relative(path)}:{line}: {module}")
    return wrong


def api_imports(path: Path) -> list[str]:
    """Return the imports of a file of the api that do not point to one below."""
    modules = [(line, module.split(".")) for line, module in imports_of(path)]
    targets = [(line, names[2]) for line, names in modules if names[:2] == ["lamina", "api"] and len(names) > 2]
    return [f"{relative(path)}:{line}: {name}" for line, name in targets if API_RANK[name] <= API_RANK[path.stem]]


def impurities(path: Path) -> list[str]:
    """Return what a file reaches of engines, databases, clocks and the environment."""
    modules = [module for _, module in imports_of(path) if module.split(".")[0] in IMPURE_MODULES]
    names = {
        f"{node.value.id}.{node.attr}"
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    return [f"{relative(path)}: {name}" for name in (*modules, *sorted(names & CLOCKS_AND_ENVIRONMENT))]


def words_of_sqlite(path: Path) -> list[str]:
    """Return the texts of a file that only SQLite takes."""
    texts = (node.value for node in nodes_of(path) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [f"{relative(path)}: {text}" for text in texts if SQLITE_WORDS.search(text)]


def test_every_package_has_a_place_in_the_order() -> None:
    assert sorted({package_of(path) for path in FILES} - RANK.keys()) == ["__init__"]


def test_imports_point_down() -> None:
    assert [wrong for path in FILES for wrong in upward_imports(path)] == []


def test_rooms_of_the_compiler_import_those_below() -> None:
    inside = [path for path in FILES if package_of(path) == "compiler"]
    assert {path.parent.name for path in inside} >= set(ROOMS)
    assert [wrong for path in inside for wrong in room_imports(path)] == []


def test_only_strategies_know_the_settings_of_strategies() -> None:
    knowing = {relative(path) for path in FILES for _, module in imports_of(path) if module == SETTINGS_OF_STRATEGIES}
    assert sorted(name for name in knowing if not name.startswith(MAY_KNOW_STRATEGIES)) == []


def test_rooms_of_the_warehouse_import_those_below_and_spark_stays_above() -> None:
    inside = [path for path in FILES if package_of(path) == "warehouse"]
    assert {path.parent.name for path in inside} == {
        "warehouse",
        *(room for rooms in WAREHOUSE_ROOMS for room in rooms),
    }
    assert [wrong for path in inside for wrong in warehouse_imports(path)] == []


def test_a_kind_of_source_is_named_by_its_own_file_and_the_reader_of_the_project() -> None:
    naming = {
        relative(path)
        for path in FILES
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and node.value in get_args(SourceType)
    }
    assert naming == NAMES_KINDS


def test_nothing_branches_on_the_format_of_files() -> None:
    """A format is a line in `files/formats.py`; what differs is a field of it."""
    asked = [
        f"{relative(path)}:{value.lineno}"
        for path in FILES
        for node in nodes_of(path)
        for value in _compared(node)
        if isinstance(value, ast.Attribute) and value.attr == "format"
    ]
    assert asked == []


def _compared(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.Match(subject=subject):
            return [subject]
        case ast.Call(func=ast.Attribute(attr="get"), args=[first, *_]):
            return [first]
        case _:
            return []


def test_files_of_the_api_import_those_below() -> None:
    inside = [path for path in FILES if package_of(path) == "api" and path.name != "__init__.py"]
    assert {path.stem for path in inside} == API_RANK.keys()
    assert [wrong for path in inside for wrong in api_imports(path)] == []


def test_imports_are_absolute() -> None:
    assert [relative(path) for path in FILES if "." in (module for _, module in imports_of(path))] == []


def test_pure_packages_reach_no_engine_database_clock_or_environment() -> None:
    assert [found for path in FILES if package_of(path) in PURE for found in impurities(path)] == []


def test_four_files_know_the_driver_of_sqlite() -> None:
    assert [relative(path) for path in FILES if "sqlite3" in (module for _, module in imports_of(path))] == SQLITE_FILES


def test_statements_of_state_and_catalog_are_standard_sql() -> None:
    folders = (SOURCE / "state", SOURCE / "warehouse" / "catalog")
    shared = [path for path in FILES if path.parent in folders and relative(path) not in SQLITE_FILES]
    assert {"jdbc.py", "history.py", "migrations.py", "place.py"} <= {path.name for path in shared}
    assert [found for path in shared for found in words_of_sqlite(path)] == []


def test_package_files_are_empty() -> None:
    packages = [path for path in FILES if path.name == "__init__.py" and path.parent != SOURCE]
    assert [relative(path) for path in packages if path.read_text()] == []


def modules_after(*arguments: str) -> set[str]:
    """Run the command line in a process of its own and return the modules it has loaded."""
    code = (
        "import sys\n"
        f"sys.argv = ['lamina', *{arguments!r}]\n"
        "from lamina.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(chr(10).join(['@modules', *sys.modules]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return set(done.stdout.rpartition("@modules\n")[2].split())


def loaded(modules: set[str], *names: str) -> list[str]:
    return [name for name in names if name in modules]


def test_help_loads_neither_spark_nor_the_parser() -> None:
    assert loaded(modules_after("--help"), "pyspark", "pyarrow", "pyiceberg", "sqlglot") == []


def test_compiling_loads_no_spark(tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (tmp_path / "lamina.toml").write_text('[project]\nname = "shop"\n')
    (models / "one.sql").write_text("SELECT 1 AS id")
    modules = modules_after("compile", "--project-dir", str(tmp_path))
    assert "lamina.compiler.compile" in modules
    assert loaded(modules, "pyspark", "py4j", "pyiceberg") == []


def test_looking_at_a_project_without_changes_loads_no_parser(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "lamina.toml").write_text('[project]\nname = "shop"\n')
    (tmp_path / "models" / "one.sql").write_text("SELECT 1 AS id")
    modules_after("compile", "--project-dir", str(tmp_path))
    modules = modules_after("status", "--project-dir", str(tmp_path))
    assert "lamina.api.report" in modules
    assert loaded(modules, "pyspark", "pyarrow", "pyiceberg", "pandas", "sqlglot", "rich") == []
