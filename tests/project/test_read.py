"""Reading a whole project: names, folders, seeds, modules, sources."""

from pathlib import Path

import pytest

from lamina.project.project import Project
from lamina.project.read import model_name, read_project
from lamina.project.scan import scan_project

PROJECT = '[project]\nname = "shop"\n'


def read(root: Path, files: dict[str, str], *, variables: dict[str, str] | None = None) -> Project:
    for path, content in {"lamina.toml": PROJECT, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    return read_project(scan_project(str(root)), variables or {})


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("models/orders.sql", "main.orders"),
        ("models/sales/orders.sql", "sales.orders"),
        ("models/sales/eu/north/orders.py", "sales.orders"),
        ("seeds/countries.csv", "main.countries"),
    ],
)
def test_a_path_gives_a_model_its_name(path: str, name: str) -> None:
    assert model_name(path, default_schema="main") == name


def test_models_are_sorted_and_carry_their_settings(tmp_path: Path) -> None:
    project = read(
        tmp_path,
        {
            "models/b/x.sql": "SELECT 1",
            "models/a/x.py": "def model(ctx): ...",
            "models/_defaults.toml": 'owner = "all"',
            "models/b/_defaults.toml": 'owner = "b"',
            "models/b/x.toml": 'alias = "y"',
        },
    )
    assert project.diagnostics == ()
    assert [(model.name, model.kind, model.settings.owner) for model in project.models] == [
        ("a.x", "python", "all"),
        ("b.x", "sql", "b"),
    ]
    assert project.models[1].settings.alias == "y"


def test_modules_are_no_models(tmp_path: Path) -> None:
    project = read(tmp_path, {"models/a/_money.py": "x = 1", "lib/tax.py": "y = 2", "top.py": "z = 3"})
    assert [module.path for module in project.modules] == ["lib/tax.py", "models/a/_money.py", "top.py"]
    assert project.models == ()


def test_a_disabled_model_is_left_out_but_named(tmp_path: Path) -> None:
    project = read(tmp_path, {"models/a.sql": "SELECT 1", "models/a.toml": "enabled = false"})
    assert (project.models, project.disabled) == ((), ("main.a",))


def test_problems_of_all_files_come_together(tmp_path: Path) -> None:
    project = read(
        tmp_path,
        {
            "lamina.toml": "[project]\nnam = 1\n",
            "models/a.sql": "SELECT 1",
            "models/a.toml": "oops",
            "models/_defaults.toml": "tags = 1",
            "sources/r.toml": '[source.r]\ntype = "filez"',
            "seeds/s.csv": "",
        },
    )
    files = {item.place.file for item in project.diagnostics if item.place}
    assert files == {"lamina.toml", "models/a.toml", "models/_defaults.toml", "sources/r.toml", "seeds/s.csv"}


def test_a_files_source_has_a_table_per_folder_and_per_declaration(tmp_path: Path) -> None:
    (tmp_path / "data/raw/orders").mkdir(parents=True)
    (tmp_path / "data/raw/_tmp").mkdir()
    source = """
    [source.raw]
    type = "files"
    format = "csv"
    path = "data/raw"
    options = { header = true }
    [source.raw.tables]
    events = "elsewhere/events"
    [source.raw.tables.lines]
    time_column = "day"
    format = "json"
    options = { multiLine = "true" }
    """
    project = read(tmp_path, {"sources/raw.toml": source})
    assert project.diagnostics == ()
    assert [(table.name, table.location, table.format) for table in project.sources] == [
        ("raw.events", "elsewhere/events", "csv"),
        ("raw.lines", "data/raw/lines", "json"),
        ("raw.orders", "data/raw/orders", "csv"),
    ]
    assert project.sources[1].options == {"header": "true", "multiLine": "true"}


def test_an_iceberg_source_names_tables_of_the_catalog(tmp_path: Path) -> None:
    source = '[source.lake]\ntype = "iceberg"\nnamespace = "landing"\ntables = ["orders"]\n'
    project = read(tmp_path, {"sources/lake.toml": source})
    assert [(table.name, table.location) for table in project.sources] == [("lake.orders", "landing.orders")]


def test_variables_are_typed(tmp_path: Path) -> None:
    text = (
        PROJECT
        + '[vars]\nmin_amount = { type = "NUMERIC(10, 2)", value = 0.5 }\nstart_date = { type = "date", value = "x" }\n'
    )
    project = read(tmp_path, {"lamina.toml": text})
    assert [(item.name, item.type, item.value) for item in project.variables] == [
        ("min_amount", "decimal(10,2)", "0.5")
    ]
    assert [item.code for item in project.diagnostics] == ["L118"]


@pytest.mark.parametrize("text", ["def model(ctx:\n", "x = " + "(" * 5000, "-" * 100_000 + "1", "model = 1", ""])
def test_what_is_no_python_model_is_refused_unexecuted(tmp_path: Path, text: str) -> None:
    project = read(tmp_path, {"models/a.py": text})
    assert [item.code for item in project.diagnostics] == ["L135"]


@pytest.mark.parametrize(("path", "kind"), [("models/a.py", "ephemeral"), ("seeds/a.csv", "incremental")])
def test_a_strategy_that_only_a_query_can_have_is_refused(tmp_path: Path, path: str, kind: str) -> None:
    text = "def model(ctx): ...\n" if path.endswith(".py") else "x\n1\n"
    sidecar = path.rpartition(".")[0] + ".toml"
    project = read(tmp_path, {path: text, sidecar: f'[strategy]\ntype = "{kind}"\n'})
    assert [item.code for item in project.diagnostics] == ["L126"]


@pytest.mark.parametrize(("orphan", "near"), [("ordres", "orders.toml"), ("zz", None)])
def test_a_settings_file_without_a_model_is_compared_by_its_name_alone(
    tmp_path: Path, orphan: str, near: str | None
) -> None:
    files = {"models/main/orders.sql": "SELECT 1", "models/main/1a.sql": "SELECT 1", f"models/main/{orphan}.toml": ""}
    (found,) = (item for item in read(tmp_path, files).diagnostics if item.code == "L121")
    assert found.suggestion == near
