"""Columns in folder names: which folders of a path name one, and which files cannot be read together."""

import pytest

from lamina.warehouse.files.partition_folders import (
    FoldersDisagree,
    folder_values,
    partition_columns,
    require_alike_folders,
)

VALUES = {
    "a.csv": (),
    ".": (),
    "country=se.csv": (),
    "plain/a.csv": (),
    "=1/a.csv": (),
    "day=1/a.csv": (("day", "1"),),
    "day=1/later/a.csv": (("day", "1"),),
    "year=1/day=2/a=b.csv": (("year", "1"), ("day", "2")),
    "year=1/plain/day=2/a.csv": (("day", "2"),),
    "a%3Db=x%20y/a.csv": (("a=b", "x y"),),
}


@pytest.mark.parametrize(("path", "expected"), VALUES.items())
def test_folders_name_columns_as_they_do_for_spark(path: str, expected: tuple[tuple[str, str], ...]) -> None:
    assert folder_values(path) == expected


@pytest.mark.parametrize(
    "paths",
    [
        ("a", "b"),
        ("a", "plain/b", "x=1.csv"),
        ("day=1/a", "DAY=2/b"),
        ("day=1/a", "day=2/later/b"),
        ("=1/a", "b"),
        (".",),
    ],
)
def test_files_whose_folders_name_the_same_columns_go_together(paths: tuple[str, ...]) -> None:
    require_alike_folders("raw.orders", paths)


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (("a", "day=1/b"), "the folders of `a` name no column, and the folders of `day=1/b` name `day`"),
        (("plain/a", "day=1/b"), "name no column"),
        (("year=1/day=2/a", "year=1/b"), "name `year`, `day`, and the folders of `year=1/b` name `year`"),
        (("a=1/b=1/x", "b=1/a=1/x"), "name `a`, `b`, and the folders of `b=1/a=1/x` name `b`, `a`"),
        (("year=1/out/day=1/a", "year=2/out/day=1/a"), "name `day` below `year=1/out`, and"),
    ],
)
def test_files_that_spark_would_leave_out_or_refuse_are_refused(paths: tuple[str, ...], message: str) -> None:
    with pytest.raises(FoldersDisagree) as refused:
        require_alike_folders("raw.orders", paths)
    assert message in refused.value.message


def test_a_column_is_one_however_its_folders_spell_it() -> None:
    (column,) = partition_columns(("day=1/a", "DAY=x/b"))

    assert (column.name, column.type) == ("day", "string")
