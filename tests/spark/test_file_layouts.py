"""Files of one source that were written differently: other types, quoted values, columns that came later."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.scenarios.play import Player
from tests.spark.lake import Lake

from lamina.project.source import SourceTable
from lamina.values.names import SourceName
from lamina.warehouse.failure import SourceUnreadable, WarehouseFailure
from lamina.warehouse.schemas import KnownSchema
from lamina.warehouse.sources.kinds import source_schema
from lamina.warehouse.spark.session import Application

pytestmark = pytest.mark.spark

WIDENED = [
    (pa.array([1], pa.int8()), pa.array([2], pa.int16())),
    (pa.array([1], pa.int32()), pa.array([2], pa.int64())),
    (pa.array([1], pa.int16()), pa.array([2.5], pa.float64())),
    (pa.array([1.5], pa.float32()), pa.array([2.5], pa.float64())),
    (pa.array([1], pa.int8()), pa.array([Decimal("2.50")], pa.decimal128(5, 2))),
    (pa.array([1], pa.int64()), pa.array([Decimal("2.50")], pa.decimal128(5, 2))),
    (pa.array([Decimal("1.5")], pa.decimal128(5, 1)), pa.array([Decimal("2.505")], pa.decimal128(25, 3))),
    (pa.array([[1]], pa.list_(pa.int32())), pa.array([[2]], pa.list_(pa.int64()))),
    (pa.array([{"x": 1}], pa.struct([("x", pa.int32())])), pa.array([{"x": 2, "y": "b"}])),
]


@pytest.mark.parametrize("arrays", WIDENED, ids=lambda arrays: " ".join(str(item.type) for item in arrays))
def test_types_that_fit_are_read_as_the_widest_of_them(
    spark: Any, tmp_path: Path, arrays: tuple[pa.Array, pa.Array]
) -> None:
    for number, array in enumerate(arrays):
        (tmp_path / "data").mkdir(exist_ok=True)
        pq.write_table(pa.table({"v": array}), tmp_path / "data" / f"{number}.parquet")
    source = SourceTable(name=SourceName("raw.data"), type="files", location="data")
    answer = source_schema(source, tmp_path, pointers=dict)
    assert isinstance(answer, KnownSchema), answer

    frame = spark.read.schema(f"v {answer.columns[0].type}").parquet(str(tmp_path / "data"))

    values = sorted((row.asDict(recursive=True)["v"] for row in frame.collect()), key=_order)
    expected = [array.to_pylist()[0] for array in arrays]
    assert values == [{"y": None, **value} if isinstance(value, dict) else value for value in expected]


def _order(value: Any) -> Any:
    match value:
        case dict():
            return value["x"]
        case list():
            return value[0]
        case _:
            return value


def test_a_wider_file_beside_narrow_ones_is_read_whole_and_by_appends(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(tmp_path, application, monkeypatch)
    player.write(PROJECT)
    _file(tmp_path, "a", pa.array([1, 2], pa.int32()))
    _file(tmp_path, "good", pa.array([7], pa.int32()), source="other")
    assert player.command("run", None)[0] == 0
    _file(tmp_path, "b", pa.array([5_000_000_000], pa.int64()))

    code, done = player.command("run", None)

    assert code == 0, done
    assert player.query("SELECT n FROM lake.t.loaded") == ["1", "2", "5000000000"]
    assert player.query("SELECT n FROM lake.t.total") == ["5000000003"]
    assert player.command("verify", None)[1]["status"] == "equal"
    assert player.command("run --full-refresh", None)[0] == 0
    assert player.query("SELECT n FROM lake.t.total") == ["5000000003"]

    _file(tmp_path, "c", pa.array(["x"]))
    _file(tmp_path, "more", pa.array([8], pa.int32()), source="other")
    code, plan = player.command("plan", None)
    assert (code, [item["code"] for item in plan["diagnostics"]]) == (2, ["L631"])
    said = plan["diagnostics"][0]["message"]
    assert "column `n` is int in `a.parquet` and string in `c.parquet`" in said
    assert {item["model"]: item["action"] for item in plan["actions"]} == {
        "t.loaded": "block",
        "t.other": "build",
        "t.total": "block",
    }
    code, done = player.command("run", None)
    assert (code, done["status"]) == (2, "partial")
    assert player.query("SELECT n FROM lake.t.other") == ["7", "8"]
    assert player.query("SELECT n FROM lake.t.total") == ["5000000003"]
    verdicts = {item["model"]: item for item in player.command("verify", None)[1]["models"]}
    assert verdicts["t.other"]["status"] == "equal"
    assert verdicts["t.total"]["status"] == "unverifiable"
    assert said in verdicts["t.total"]["reason"]

    (tmp_path / "data" / "numbers" / "c.parquet").unlink()
    assert player.command("run", None)[0] == 0


PROJECT = {
    "lamina.toml": '[project]\nname = "types"\n',
    "sources/raw.toml": '[source.raw]\ntype = "files"\npath = "data"\ntables = ["numbers", "other"]\n',
    "models/t/loaded.sql": "SELECT n FROM raw.numbers",
    "models/t/loaded.toml": "strategy.type = 'incremental'",
    "models/t/total.sql": "SELECT sum(n) AS n FROM raw.numbers",
    "models/t/other.sql": "SELECT n FROM raw.other",
}


def _file(root: Path, name: str, values: pa.Array, *, source: str = "numbers") -> None:
    folder = root / "data" / source
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"n": values}), folder / f"{name}.parquet")


def test_quoted_values_of_csv_files_are_read_as_those_of_seeds(lake: Lake) -> None:
    text = 'id,v\n1,"say ""hi"" \\ x"\n2,"two\nlines"\n3,5" pipe\n4,"a, b"\n'
    lake.add_source("raw.orders", columns="id bigint, v string", format="csv")
    lake.write_csv("raw/orders/a.csv", text)
    lake.write_csv("raw/orders/b.csv", "id,v\r\n5,x\n6,y\r\n")
    lake.build(lake.add_model("i.t", "SELECT id, v FROM raw.orders", inputs=("raw.orders",)))
    lake.build(lake.add_model("i.the_seed", text, kind="seed", columns="id bigint, v string"))

    rows = lake.sql("SELECT * FROM lake.i.t ORDER BY id")

    assert rows[:4] == [(1, 'say "hi" \\ x'), (2, "two\nlines"), (3, '5" pipe'), (4, "a, b")]
    assert rows[:4] == lake.sql("SELECT * FROM lake.i.the_seed ORDER BY id")
    assert rows[4:] == [(5, "x"), (6, "y")]


def test_options_of_a_source_say_how_csv_values_are_quoted(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id bigint, v string", format="csv", options={"escape": "\\"})
    lake.write_csv("raw/orders/a.csv", 'id,v\n1,"say \\"hi\\""\n')
    lake.build(lake.add_model("i.t", "SELECT id, v FROM raw.orders", inputs=("raw.orders",)))

    assert lake.sql("SELECT * FROM lake.i.t") == [(1, 'say "hi"')]


def test_a_quote_that_is_never_closed_does_not_swallow_rows(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id bigint, v string", format="csv")
    lake.write_csv("raw/orders/a.csv", 'id,v\n1,"open\n2,b\n3,c\n')
    model = lake.add_model("i.t", "SELECT id, v FROM raw.orders", inputs=("raw.orders",))

    with pytest.raises(SourceUnreadable, match="never closed"):
        lake.stage(model)


@pytest.mark.parametrize("header", ["true", "false"])
def test_csv_files_from_before_a_declared_column_give_null(lake: Lake, header: str) -> None:
    lake.add_source("raw.orders", columns="id bigint, v string, more double", format="csv", options={"header": header})
    names = ("id,v\n", "id,v,more\n") if header == "true" else ("", "")
    lake.write_csv("raw/orders/day=1/a.csv", f"{names[0]}1,x\n")
    lake.write_csv("raw/orders/day=2/b.csv", f"{names[1]}2,y,2.5\n")
    lake.build(lake.add_model("i.t", "SELECT id, v, more, day FROM raw.orders", inputs=("raw.orders",)))

    assert lake.sql("SELECT * FROM lake.i.t ORDER BY id") == [(1, "x", None, 1), (2, "y", 2.5, 2)]


def test_a_short_first_line_without_a_header_does_not_make_later_values_null(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id bigint, v string, more string", format="csv", options={"header": "false"})
    lake.write_csv("raw/orders/a.csv", "1,a\n2,b,x\n")
    model = lake.add_model("i.t", "SELECT id, more FROM raw.orders", inputs=("raw.orders",))

    with pytest.raises(SourceUnreadable, match="line 2 has 3 values, the first line 2"):
        lake.stage(model)


def test_a_row_without_all_values_is_refused_whichever_columns_are_read(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id bigint, v string", format="csv")
    lake.write_csv("raw/orders/a.csv", "id,v\n1,a\n2\n")
    model = lake.add_model("i.t", "SELECT id FROM raw.orders", inputs=("raw.orders",))

    with pytest.raises(WarehouseFailure):
        lake.stage(model)


def test_a_declared_folder_column_is_not_taken_for_a_later_one(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id bigint, day int", format="csv")
    lake.write_csv("raw/orders/day=1/a.csv", "id\n1\n")
    lake.build(lake.add_model("i.t", "SELECT id, day FROM raw.orders", inputs=("raw.orders",)))

    assert lake.sql("SELECT * FROM lake.i.t") == [(1, 1)]
