"""Names of files and folders that mean something to Spark: patterns, columns, hidden files."""

from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.scenarios.play import Player
from tests.spark.lake import Lake

from lamina.warehouse.failure import SourceUnreadable
from lamina.warehouse.files import manifest
from lamina.warehouse.files.partition_folders import FoldersDisagree
from lamina.warehouse.sources.file_frames import read_files
from lamina.warehouse.spark.session import Application

pytestmark = pytest.mark.spark

NAMES = ("a1", "a[1]", "a{1,2}", "a*", "a?", "a\\b", "[!a]", "a b", "a%20b", "a#b", "ä", "a,b", "k=v", "_k=v")


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_files_are_read_by_their_very_names(lake: Lake, kind: str) -> None:
    source = lake.add_source("raw.orders", columns="id bigint, k string", format=kind)
    for number, name in enumerate(NAMES):
        path = lake.folder / "raw" / "orders" / f"{name}.{kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        match kind:
            case "csv":
                path.write_text(f"id,k\n{number},x\n")
            case "json":
                path.write_text(f'{{"id": {number}, "k": "x"}}\n')
            case _:
                pq.write_table(pa.table({"id": [number], "k": ["x"]}), path)
    lake.build(lake.add_model("i.t", "SELECT id, k FROM raw.orders", inputs=("raw.orders",)))

    assert lake.sql("SELECT * FROM lake.i.t ORDER BY id") == [(number, "x") for number in range(len(NAMES))]
    entries = manifest.list_files(source, manifest.locate(lake.settings, source))
    read = read_files(lake.spark, lake.settings, source, entries=entries).inputFiles()
    assert sorted(unquote(path).rpartition("/")[2] for path in read) == [entry.path for entry in entries]


@pytest.mark.parametrize("header", ["true", "false"])
def test_only_folders_below_a_source_name_columns(lake: Lake, header: str) -> None:
    columns = "id bigint, country string, city string"
    lake.add_source("raw.p", columns=columns, format="csv", location="id=7/places", options={"header": header})
    names = "id,country,city\n" if header == "true" else ""
    lake.write_csv("id=7/places/country=se.csv", f"{names}1,se,Lund\n")
    lake.build(lake.add_model("i.t", "SELECT id, country, city FROM raw.p", inputs=("raw.p",)))

    assert lake.sql("SELECT * FROM lake.i.t") == [(1, "se", "Lund")]


def test_a_folder_column_may_begin_as_hidden_names_do(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id bigint", format="csv")
    lake.write_csv("raw/orders/_day=1/a.csv", "id\n1\n")
    lake.write_csv("raw/orders/_day=1/b.csv._COPYING_", "id\n2\n")
    lake.build(lake.add_model("i.t", "SELECT id, _day FROM raw.orders", inputs=("raw.orders",)))

    assert lake.sql("SELECT * FROM lake.i.t") == [(1, 1)]


def test_a_file_outside_of_the_folders_that_name_columns_is_not_left_out(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id bigint", format="csv")
    lake.write_csv("raw/orders/day=1/a.csv", "id\n1\n")
    lake.write_csv("raw/orders/b.csv", "id\n2\n")

    with pytest.raises(FoldersDisagree, match=r"`b.csv` name no column, and the folders of `day=1/a.csv` name `day`"):
        lake.stage(lake.add_model("i.t", "SELECT id, day FROM raw.orders", inputs=("raw.orders",)))


def test_columns_are_not_inferred_from_files_that_a_name_happens_to_match(lake: Lake) -> None:
    lake.add_source("raw.orders", format="csv")
    lake.write_csv("raw/orders/a1.csv", "id\nx\n")
    lake.write_csv("raw/orders/a[1].csv", 'id\n"0\n1"\n')

    with pytest.raises(SourceUnreadable, match=r"a\[1\]\.csv.*declare `columns`"):
        lake.stage(lake.add_model("i.t", "SELECT id FROM raw.orders", inputs=("raw.orders",)))


def test_a_project_may_be_in_a_folder_with_any_name(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(tmp_path / "p[1] {a,b} id=7", application, monkeypatch)
    player.write(ANY_NAME)
    player.write({"data/orders/a1.csv": "id,v\n1,a\n", "data/orders/a[1].csv": "id,v\n2,b\n"})
    assert player.command("run", None)[0] == 0
    player.write({"data/orders/[a-b]*.csv": "id,v\n1,c\n3,c\n"})

    code, done = player.command("run", None)

    assert code == 0, done["materializations"]
    assert player.query("SELECT id, v FROM lake.t.orders") == ["1|c", "2|b", "3|c"]
    assert player.command("verify", None)[1]["status"] == "equal"
    player.write({"data/orders/day=1/d.csv": "id,v\n4,d\n"})
    code, plan = player.command("plan", None)
    assert (code, [item["code"] for item in plan["diagnostics"]]) == (2, ["L635"])
    assert {item["model"]: item["action"] for item in plan["actions"]} == {"t.orders": "block"}


def test_a_name_with_a_colon_blocks_the_readers_of_its_source_only(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(tmp_path, application, monkeypatch)
    player.write(ANY_NAME)
    player.write({"models/t/one.sql": "SELECT 1 AS id", "data/orders/x:y/a:b.csv": "id,v\n1,a\n"})

    code, plan = player.command("plan", None)
    assert (code, [item["code"] for item in plan["diagnostics"]]) == (2, ["L636"])
    assert {item["model"]: item["action"] for item in plan["actions"]} == {"t.orders": "block", "t.one": "build"}

    (tmp_path / "data/orders/x:y/a:b.csv").rename(tmp_path / "data/orders/x:y/a-b.csv")
    assert player.command("run", None)[0] == 0
    assert player.query("SELECT id, v FROM lake.t.orders") == ["1|a"]


ANY_NAME = {
    "lamina.toml": '[project]\nname = "names"\n',
    "sources/raw.toml": """
[source.raw]
type = "files"
format = "csv"
path = "data"
[source.raw.tables.orders]
columns = [{ name = "id", type = "bigint" }, { name = "v", type = "string" }]
""",
    "models/t/orders.sql": "SELECT id, v FROM raw.orders",
    "models/t/orders.toml": """
[strategy]
type = "merge"
unique_key = ["id"]
order_by = ["v"]
driver = "raw.orders"
[[checks]]
type = "unique"
columns = ["id"]
""",
}
