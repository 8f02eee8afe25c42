"""Reading TOML: places of keys, variables, and texts that mean harm."""

import time
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.project.locate import locate
from lamina.project.toml import Substituted, read_toml


def test_every_kind_of_key_has_its_place() -> None:
    text = """\
description = "a" # not = "b"
tags = ["x",
  "y"]
[strategy]
  type = "merge"
[[columns]]
name = "a"
[[columns]]
type = '''two
lines'''
name = "b"
[inputs."sales.customers"]
window = "6 days"
conf = { "spark.x" = "1", y = 2 }
"""
    assert locate(text).keys == {
        "description": (1, 1),
        "tags": (2, 1),
        "strategy": (4, 2),
        "strategy.type": (5, 3),
        "columns": (6, 3),
        "columns.0": (6, 3),
        "columns.0.name": (7, 1),
        "columns.1": (8, 3),
        "columns.1.type": (9, 1),
        "columns.1.name": (11, 1),
        "inputs.sales.customers": (12, 2),
        "inputs.sales.customers.window": (13, 1),
        "inputs.sales.customers.conf": (14, 1),
        "inputs.sales.customers.conf.spark.x": (14, 10),
        "inputs.sales.customers.conf.y": (14, 27),
    }


def test_nested_arrays_of_tables_carry_their_indexes() -> None:
    text = "[[a]]\n[[a.b]]\nx = 1\n[[a.b]]\n[[a]]\n[[a.b]]\nx = 2\n"
    keys = locate(text).keys
    assert keys["a.0.b.0.x"] == (3, 1)
    assert keys["a.1.b.0.x"] == (7, 1)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\na = 2\n", "x.toml:2:1"),
        ("[a]\nb = 1\n[a]\n", "x.toml:3:2"),
        ("a = { b = 1, b = 2 }\n", "x.toml:1:14"),
        ("a.b = 1\na.b = 2\n", "x.toml:2:1"),
    ],
)
def test_a_key_set_twice_is_found_at_the_second(text: str, place: str) -> None:
    (found,) = read_toml("x.toml", text, variables={}).diagnostics
    assert (found.code, str(found.place)) == ("L112", place)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('a = "x\n', "x.toml:1:7"),
        ("a = [1,\n2", "x.toml:2:2"),
        ("\n  = 1", "x.toml:2:3"),
        ("a = 2026-99-99", "x.toml:1:9"),
    ],
)
def test_a_syntax_error_has_its_place(text: str, place: str) -> None:
    (found,) = read_toml("x.toml", text, variables={}).diagnostics
    assert (found.code, str(found.place)) == ("L111", place)


def test_variables_are_filled_in_everywhere() -> None:
    text = 'a = "${HOST}:${PORT:-80}"\nb = [{ c = "${HOST}" }]\nd = "plain"\n'
    data = read_toml("x.toml", text, variables={"HOST": "db"}).data
    assert data == {"a": "db:80", "b": [{"c": "db"}], "d": "plain"}
    assert isinstance(data["a"], Substituted)
    assert not isinstance(data["d"], Substituted)


def test_an_unset_variable_is_found_at_its_key() -> None:
    (found,) = read_toml("x.toml", 'a = 1\nb = [{ c = "${HOST}" }]\n', variables={}).diagnostics
    assert (found.code, str(found.place)) == ("L113", "x.toml:2:8")


HOSTILE = {
    "open brackets": "a = " + "[" * 900_000,
    "open braces": "a = " + "{" * 900_000,
    "headers": "[" * 900_000,
    "dotted key": "a." * 400_000 + "b = 1",
    "escaped quotes": 'a = "' + '\\"' * 400_000,
    "triple quotes": 'a = """' + '\\"""' * 200_000,
    "many doubles": "a = 1\n" * 150_000,
    "many tables": "[[a]]\n[a.b]\n" * 40_000,
    "long number": "a = " + "1" * 900_000,
    "spaces": " " * 900_000,
    "spaces and hashes": " #" * 400_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_costs_bounded_time(text: str) -> None:
    start = time.process_time()
    read_toml("x.toml", text, variables={})
    assert time.process_time() - start < 10


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab.=[]{},\"'\\\n #1${}:-\t"), max_size=60))
def test_any_text_gives_data_or_a_diagnostic(text: str) -> None:
    document = read_toml("x.toml", text, variables={})
    try:
        parsed = tomllib.loads(text)
    except ValueError:
        assert document.diagnostics
        return
    if "${" not in text:
        assert document.data == parsed
        assert all(key.split(".")[0] in " ".join(locate(text).keys) for key in parsed if key)
