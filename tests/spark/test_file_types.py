"""Types that change between the files of one source, in every format that Spark reads: widest, or refused by name."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from tests.scenarios.play import Player

from lamina.warehouse.spark.session import Application

pytestmark = pytest.mark.spark

FORMATS = ("orc", "json", "csv")
PROJECT = {
    "lamina.toml": '[project]\nname = "types"\n',
    **{
        f"sources/{kind}.toml": f'[source.{kind}]\ntype = "files"\nformat = "{kind}"\npath = "data/{kind}"\n'
        'tables = ["numbers"]\n'
        for kind in FORMATS
    },
    **{f"models/t/{kind}_loaded.sql": f"SELECT n FROM {kind}.numbers" for kind in FORMATS},
    **{f"models/t/{kind}_loaded.toml": "strategy.type = 'incremental'" for kind in FORMATS},
    **{f"models/t/{kind}_total.sql": f"SELECT sum(n) AS n FROM {kind}.numbers" for kind in FORMATS},
}


def write(root: Path, kind: str, name: str, values: Any) -> Path:
    path = root / "data" / kind / "numbers" / f"{name}.{kind}"
    path.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "orc":
            orc.write_table(pa.table({"n": values}), path)
        case "parquet":
            pq.write_table(pa.table({"n": values}), path)
        case "json":
            path.write_text("".join(f"{json.dumps({'n': value})}\n" for value in values.to_pylist()))
        case _:
            path.write_text("".join(f"{value}\n" for value in ["n", *values.to_pylist()]))
    return path


def test_wider_files_are_followed_and_others_are_named_before_a_build(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(tmp_path, application, monkeypatch)
    player.write(PROJECT)
    for kind in FORMATS:
        write(tmp_path, kind, "a", pa.array([1, 2], pa.int32()))
    code, done = player.command("run", None)
    assert code == 0, [item["reason"] for item in done["materializations"]]
    for kind in FORMATS:
        write(tmp_path, kind, "b", pa.array([5_000_000_000], pa.int64()))

    code, done = player.command("run", None)

    assert code == 0, [item["reason"] for item in done["materializations"]]
    for kind in FORMATS:
        assert player.query(f"SELECT n FROM lake.t.{kind}_loaded") == ["1", "2", "5000000000"], kind
        assert player.query(f"SELECT n, typeof(n) FROM lake.t.{kind}_total") == ["5000000003|bigint"], kind
    assert {item["model"]: item["status"] for item in player.command("verify", None)[1]["models"]} == {
        model: "equal" for kind in FORMATS for model in (f"t.{kind}_loaded", f"t.{kind}_total")
    }

    misfits = [write(tmp_path, kind, "c", pa.array(["x"])) for kind in FORMATS[1:]]
    write(tmp_path, "orc", "c", pa.array([7], pa.int16()))
    code, plan = player.command("plan", None)
    assert code == 2
    assert [(item["code"], item["message"]) for item in plan["diagnostics"]] == [
        ("L631", _misfit("csv", "int")),
        ("L631", _misfit("json", "bigint")),
    ]
    code, done = player.command("run", None)
    assert (code, done["status"], done["tables_built"]) == (2, "partial", 2)
    assert player.query("SELECT n FROM lake.t.orc_total") == ["5000000010"]
    verdicts = {item["model"]: item for item in player.command("verify", None)[1]["models"]}
    assert verdicts["t.orc_total"]["status"] == "equal"
    assert _misfit("json", "bigint") in verdicts["t.json_total"]["reason"]

    for path in misfits:
        path.unlink()
    write(tmp_path, "orc", "d", pa.array(["8"]))
    code, plan = player.command("plan", None)
    assert [item["message"] for item in plan["diagnostics"]] == [
        "the files of source `orc.numbers` do not fit together: column `n` is int in `a.orc` and string in `d.orc`"
    ]


def _misfit(kind: str, number: str) -> str:
    return (
        f"the files of source `{kind}.numbers` do not fit together: "
        f"column `n` is {number} in `a.{kind}` and string in `c.{kind}`"
    )


def test_fractions_beside_whole_numbers_of_json_are_exact(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(tmp_path, application, monkeypatch)
    player.write({key: text for key, text in PROJECT.items() if "json" in key or "/" not in key})
    write(tmp_path, "json", "a", pa.array([1, 2]))
    write(tmp_path, "json", "b", pa.array([2.5]))
    assert player.command("run", None)[0] == 0
    assert player.query("SELECT n, typeof(n) FROM lake.t.json_total") == ["5.5|double"]

    write(tmp_path, "json", "c", pa.array([2**53 + 1]))
    code, plan = player.command("plan", None)
    assert code == 2
    assert "is double in `b.json` and bigint in `c.json`" in plan["diagnostics"][0]["message"]


ODD = {
    "lamina.toml": '[project]\nname = "odd"\n',
    "sources/parquet.toml": '[source.parquet]\ntype = "files"\npath = "data/parquet"\ntables = ["numbers"]\n',
    "models/t/all.sql": "SELECT n, note, odd.`two words` AS odd FROM parquet.numbers",
}


def test_columns_without_values_or_with_types_that_have_no_name_do_not_hide_the_others(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(tmp_path, application, monkeypatch)
    player.write(ODD)
    folder = tmp_path / "data/parquet/numbers"
    folder.mkdir(parents=True)
    odd = pa.array([{"two words": 1}])
    pq.write_table(pa.table({"n": pa.array([1], pa.int32()), "note": ["x"], "odd": odd}), folder / "a.parquet")
    pq.write_table(pa.table({"n": pa.array([2**40]), "note": pa.array([None]), "odd": odd}), folder / "b.parquet")
    code, done = player.command("run", None)
    assert code == 0, [item["reason"] for item in done["materializations"]]
    rows = player.query("SELECT n, note, odd FROM lake.t.all")
    assert rows == [f"{2**40}|NULL|1", "1|x|1"]

    pq.write_table(pa.table({"at": pa.array([1], pa.timestamp("ns"))}), folder / "c.parquet")
    code, done = player.command("run", None)
    assert code == 1
    reason = done["materializations"][0]["reason"]
    assert "column `at` of `c.parquet` in source `parquet.numbers` has a type that Spark cannot read" in reason


DECLARED = {
    "lamina.toml": '[project]\nname = "declared"\n',
    "sources/orc.toml": '[source.orc]\ntype = "files"\nformat = "orc"\npath = "data/orc"\n'
    '[source.orc.tables.numbers]\ncolumns = [{ name = "n", type = "int" }]\n',
    "models/t/total.sql": "SELECT sum(n) AS n FROM orc.numbers",
}


def test_an_orc_file_that_does_not_fit_a_declared_type_is_never_read_as_null(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(tmp_path, application, monkeypatch)
    player.write(DECLARED)
    write(tmp_path, "orc", "a", pa.array([1], pa.int16()))
    assert player.command("run", None)[0] == 0
    write(tmp_path, "orc", "b", pa.array([2**40]))

    code, plan = player.command("plan", None)

    assert (code, [item["code"] for item in plan["diagnostics"]]) == (2, ["L631"])
    assert "column `n` is declared as int and bigint in `b.orc`" in plan["diagnostics"][0]["message"]


ORC = [
    (pa.array([1], pa.int8()), pa.array([300], pa.int16())),
    (pa.array([1], pa.int32()), pa.array([2**40], pa.int64())),
    (pa.array([1], pa.int16()), pa.array([2.5], pa.float64())),
    (pa.array([1.5], pa.float32()), pa.array([2.5], pa.float64())),
    (pa.array([1], pa.int64()), pa.array([Decimal("2.50")], pa.decimal128(5, 2))),
    (pa.array([Decimal("1.5")], pa.decimal128(5, 1)), pa.array([Decimal("2.505")], pa.decimal128(25, 3))),
    (pa.array([[1]], pa.list_(pa.int32())), pa.array([[2]], pa.list_(pa.int64()))),
]


@pytest.mark.parametrize("arrays", ORC, ids=lambda arrays: " ".join(str(item.type) for item in arrays))
def test_orc_files_of_types_that_fit_are_read_as_the_widest(
    spark: Any, tmp_path: Path, arrays: tuple[pa.Array, pa.Array]
) -> None:
    from lamina.project.source import SourceTable
    from lamina.values.names import SourceName
    from lamina.warehouse.files.file_schema import files_schema
    from lamina.warehouse.schemas import KnownSchema

    for name, array in zip("ab", arrays, strict=True):
        write(tmp_path, "orc", name, array)
    location = "data/orc/numbers"
    known = files_schema(SourceTable(name=SourceName("o.n"), type="files", location=location, format="orc"), tmp_path)
    assert isinstance(known, KnownSchema)

    rows = spark.read.schema(f"n {known.columns[0].type}").orc(str(tmp_path / location)).collect()

    assert sorted(row.n for row in rows) == [array.to_pylist()[0] for array in arrays]
