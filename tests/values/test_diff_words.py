"""How two tables differ, as people read it."""

from lamina.values.diff_words import diff_lines
from lamina.values.table_diff import ColumnsDiff, DiffResult, ExampleRow, NotCompared, RetypedColumn, TableDiff

FOUND = TableDiff(
    table="sales.orders",
    status="different",
    columns=ColumnsDiff(added=("note",), removed=("old",), retyped=(RetypedColumn("n", "int", "bigint"),)),
    rows_left=1200,
    rows_right=1203,
    only_left=1,
    only_right=4,
    rows_changed=2,
    changed={"amount": 1, "status": 2},
    key=("id", "part"),
    examples=(
        ExampleRow(kind="changed", key={"id": 1, "part": None}, left={"amount": "1.00"}, right={"amount": None}),
        ExampleRow(kind="only_left", key={"id": 2, "part": "a"}, left={"amount": "2.00", "status": "new"}),
        ExampleRow(kind="only_right", key={"id": 3, "part": "a"}, right={"amount": "3.00", "status": "x" * 80}),
    ),
    not_compared=(NotCompared("maps", "a map within another type has no order to compare it by"),),
)


def result(table: TableDiff, *, is_strict: bool = False) -> DiffResult:
    return DiffResult(left="sales.orders@1", right="sales.orders@2", tables=(table,), is_strict=is_strict)


def test_the_answer_is_first_and_rows_are_last() -> None:
    assert diff_lines(result(FOUND)) == [
        "sales.orders@1 -> sales.orders@2: different",
        "columns   + note; - old; n int -> bigint",
        "rows      1,200 -> 1,203, matched by id, part: 1 only left, 4 only right, 2 changed",
        "changed   status in 2 rows, amount in 1 row",
        "left out  maps: a map within another type has no order to compare it by",
        "",
        "~ id 1, part null: amount 1.00 -> null",
        "- id 2, part a: amount 2.00, status new",
        f"+ id 3, part a: amount 3.00, status {'x' * 59}…",
        "... and 4 more rows; `--limit` shows more",
    ]


def test_equal_tables_say_how_they_were_compared() -> None:
    equal = TableDiff(table="t", status="equal", rows_left=3, rows_right=3)
    assert diff_lines(result(equal)) == [
        "sales.orders@1 -> sales.orders@2: equal",
        "rows      3 -> 3, compared as whole rows: none differs",
    ]
    same = TableDiff(table="t", status="equal", notes=("both are the same version: no row was read",))
    assert diff_lines(result(same))[1:] == ["note      both are the same version: no row was read"]


def test_a_row_that_comes_often_says_how_often() -> None:
    often = TableDiff(
        table="t",
        status="different",
        rows_left=9,
        rows_right=0,
        only_left=9,
        examples=(ExampleRow(kind="only_left", left={"a": 1}, count=9),),
    )
    assert diff_lines(result(often))[-1] == "- a 1 (9 times)"


def test_only_a_strict_difference_is_a_failure() -> None:
    equal = FOUND.replace(status="equal")
    assert [result(item, is_strict=strict).exit_code for item in (equal, FOUND) for strict in (False, True)] == [
        0,
        0,
        0,
        1,
    ]
    assert (result(equal).status, result(FOUND).status) == ("equal", "different")


def test_a_notebook_shows_rows_and_sentence() -> None:
    html = result(FOUND)._repr_html_()
    assert "status in 2 rows" in html
    assert "~ id 1, part null: amount 1.00 -&gt; null" in html
