"""Footers that were read before are not read again, and the answer is the same as if all of them were."""

import os
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rewriting import rewrite

from lamina.project.source import SourceTable
from lamina.values.names import SourceName
from lamina.values.schema import Schema
from lamina.warehouse.files.formats import FORMATS
from lamina.warehouse.files.parquet_format import PARQUET
from lamina.warehouse.schemas import ConflictingSchema, KnownSchema, SchemaAnswer, UnknownSchema
from lamina.warehouse.sources.kinds import source_schema

SOURCE = SourceTable(name=SourceName("raw.orders"), type="files", location="orders")
CACHE = ".lamina/cache/footers/raw.orders.msgpack"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the files whose footers are read, as they are read."""
    paths: list[str] = []

    def read(path: Path, source: SourceTable) -> Schema:
        paths.append(path.name)
        return PARQUET.columns(path, source)

    monkeypatch.setitem(FORMATS, "parquet", replace(PARQUET, columns=read))
    return paths


def ask(root: Path) -> SchemaAnswer:
    return source_schema(SOURCE, root, pointers=dict)


def names(answer: SchemaAnswer) -> list[str]:
    assert isinstance(answer, KnownSchema), answer
    return [f"{column.name} {column.type}" for column in answer.columns]


def write(root: Path, name: str, **columns: object) -> None:
    path = root / "orders" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({key: pa.array([value]) for key, value in columns.items()}), path)


def test_only_new_and_changed_files_are_opened(tmp_path: Path, opened: list[str]) -> None:
    write(tmp_path, "a.parquet", id=1)
    write(tmp_path, "b.parquet", id=1)
    assert names(ask(tmp_path)) == ["id bigint"]
    write(tmp_path, "b.parquet", id=1, note="x")
    write(tmp_path, "c.parquet", id=1, amount=1.5)
    opened.clear()

    answer = ask(tmp_path)

    assert names(answer) == ["id bigint", "note string", "amount double"]
    assert opened == ["b.parquet", "c.parquet"]
    assert ask(tmp_path) == answer
    assert opened == ["b.parquet", "c.parquet"]


def test_a_file_of_the_same_size_with_another_time_is_opened(tmp_path: Path, opened: list[str]) -> None:
    write(tmp_path, "a.parquet", id=1)
    ask(tmp_path)
    os.utime(tmp_path / "orders" / "a.parquet", ns=(1, 1))
    ask(tmp_path)
    assert opened == ["a.parquet", "a.parquet"]


def test_a_removed_file_brings_no_columns(tmp_path: Path) -> None:
    write(tmp_path, "a.parquet", id=1)
    write(tmp_path, "b.parquet", note="x")
    assert names(ask(tmp_path)) == ["id bigint", "note string"]
    (tmp_path / "orders" / "b.parquet").unlink()
    assert names(ask(tmp_path)) == ["id bigint"]


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "folder"])
def test_a_damaged_cache_is_not_believed(tmp_path: Path, opened: list[str], damage: str) -> None:
    write(tmp_path, "a.parquet", id=1)
    answer, kept = ask(tmp_path), tmp_path / CACHE
    data = kept.read_bytes()
    match damage:
        case "empty":
            kept.write_bytes(b"")
        case "cut":
            kept.write_bytes(data[:-3])
        case "flipped":
            kept.write_bytes(data.replace(b"bigint", b"string"))
        case "folder":
            kept.unlink()
            kept.mkdir()
    opened.clear()
    assert ask(tmp_path) == answer
    assert opened == ["a.parquet"]


def test_a_cache_of_other_code_or_another_place_is_not_believed(
    tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.parquet", id=1)
    ask(tmp_path)
    monkeypatch.setattr("lamina.project.cache_file.VERSION", "another")
    ask(tmp_path)
    assert opened == ["a.parquet", "a.parquet"]
    moved = tmp_path.parent / f"{tmp_path.name}-moved"
    tmp_path.rename(moved)
    ask(moved)
    assert len(opened) == 3


def test_a_file_that_changes_while_it_is_read_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.parquet", id=1)

    def read(path: Path, source: SourceTable) -> Schema:
        found = PARQUET.columns(path, source)
        write(tmp_path, "a.parquet", id=1, note="x")
        return found

    monkeypatch.setitem(FORMATS, "parquet", replace(PARQUET, columns=read))
    ask(tmp_path)
    assert not (tmp_path / CACHE).exists()


def test_an_unreadable_footer_is_requested_again(tmp_path: Path, opened: list[str]) -> None:
    write(tmp_path, "a.parquet", id=1)
    (tmp_path / "orders" / "b.parquet").write_bytes(b"PAR1 is not a whole file")
    for _ in range(2):
        answer = ask(tmp_path)
        assert isinstance(answer, UnknownSchema)
        assert "`b.parquet` cannot be read" in answer.reason
    assert opened == ["a.parquet", "b.parquet", "b.parquet"]


def test_every_one_of_many_files_is_looked_into_once(tmp_path: Path, opened: list[str]) -> None:
    for number in range(1100):
        write(tmp_path, f"{number:04d}.parquet", id=1)
    ask(tmp_path)
    assert sorted(opened) == [f"{number:04d}.parquet" for number in range(1100)]
    opened.clear()
    write(tmp_path, "0555a.parquet", id="x")

    answer = ask(tmp_path)

    assert opened == ["0555a.parquet"]
    assert isinstance(answer, ConflictingSchema)
    assert answer.reason == "column `id` is bigint in `0000.parquet` and string in `0555a.parquet`"


FILES = st.dictionaries(
    st.sampled_from("abcd"),
    st.dictionaries(st.sampled_from(["id", "ID", "note"]), st.sampled_from([1, "x"]), min_size=1).filter(
        lambda columns: len({name.lower() for name in columns}) == len(columns)
    ),
    min_size=1,
)


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(FILES, min_size=2, max_size=4))
def test_the_answer_never_depends_on_what_is_kept(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, dict[str, object]]]
) -> None:
    root = tmp_path_factory.mktemp("project")
    for number, files in enumerate(steps, 1):
        for old in (root / "orders").glob("*"):
            old.unlink()
        for name, columns in files.items():
            write(root, f"{name}.parquet", **columns)
            # Steps follow each other faster than the clock of some file systems.
            os.utime(root / "orders" / f"{name}.parquet", ns=(number, number))
        kept = ask(root)
        (root / CACHE).unlink(missing_ok=True)
        assert kept == ask(root)
        assert isinstance(kept, KnownSchema | ConflictingSchema)


def test_a_file_rewritten_with_the_same_size_and_time_is_opened_again(tmp_path: Path) -> None:
    write(tmp_path, "other.parquet", no=1)
    other = tmp_path / "orders/other.parquet"
    data = other.read_bytes()
    other.unlink()
    write(tmp_path, "a.parquet", id=1)
    assert names(ask(tmp_path)) == ["id bigint"]

    rewrite(tmp_path / "orders/a.parquet", data)

    assert names(ask(tmp_path)) == ["no bigint"]
