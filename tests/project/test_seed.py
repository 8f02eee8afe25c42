"""Seeds: types are inferred from all rows, declared ones win, broken tables are refused."""

import pytest

from lamina.project.seed import seed_columns
from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-20"], "bigint"),
        (["1", "2.50", "100"], "decimal(5,2)"),
        (["007", "12"], "string"),
        (["true", "false"], "boolean"),
        (["true", "5"], "string"),
        (["2026-01-31", ""], "date"),
        (["2026-01-31T10:00:00", "2026-01-31 10:00:00.5"], "timestamp"),
        (["2026-01-31", "soon"], "string"),
        (["2026-02-30"], "string"),
        (["99999999999999999999"], "string"),
        (["", ""], "string"),
        ([], "string"),
    ],
)
def test_a_type_is_the_narrowest_that_fits_all_values(values: list[str], kind: str) -> None:
    text = "\n".join(["id,x", *(f"a,{value}" for value in values)])
    columns, problems = seed_columns("s.csv", text, declared=())
    assert problems == []
    assert columns[1].type == kind


def test_a_declared_type_wins_and_the_header_gives_the_order() -> None:
    declared = (Column(name=ColumnName("Code"), type=DataType("int"), nullable=False),)
    columns, _ = seed_columns("s.csv", 'name,code\n"a, b",1\n', declared=declared)
    assert [(item.name, item.type) for item in columns] == [("name", "string"), ("Code", "int")]


@pytest.mark.parametrize(
    ("text", "line"),
    [("", 1), ("a,a\n", 1), ("a,\n1,2\n", 1), ("a,b\n1,2\n1\n", 3), ('a\n"open\n', 2), ("b\n1\n", 1)],
)
def test_what_is_no_table_is_refused_with_its_line(text: str, line: int) -> None:
    declared = (Column(name=ColumnName("a")),)
    _, (problem,) = seed_columns("s.csv", text, declared=declared)
    assert problem.code == "L130"
    assert problem.place is not None
    assert problem.place.line == line


def test_columns_that_only_look_alike_to_another_language_are_two() -> None:
    columns, problems = seed_columns("s.csv", "straße,strasse\n1,x\n", declared=(Column(name=ColumnName("STRASSE")),))
    assert problems == []
    assert [item.name for item in columns] == ["straße", "STRASSE"]
