"""When two names are the same: one place decides it, as Spark does."""

from pathlib import Path

import pytest

from lamina.values.names import folded, folded_names, same_name

SOURCE = Path(__file__).parents[2] / "src" / "lamina"
NEARNESS = {
    "values/nearest.py",
    "compiler/resolve.py",
    "api/rulebook.py",
}  # how alike two words are


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [("order_id", "Order_ID", True), ("straße", "STRAßE", True), ("straße", "strasse", False), ("a", "b", False)],
)
def test_names_are_compared_as_spark_compares_them(one: str, other: str, is_same: bool) -> None:
    assert same_name(one, other) is is_same
    assert (folded(one) == folded(other)) is is_same
    assert (len(folded_names([one, other])) == 1) is is_same


def test_no_other_file_folds_names_in_another_way() -> None:
    texts = {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    assert {path for path, text in texts.items() if ".casefold()" in text} == NEARNESS
