"""Ephemeral models are put into a shape once each, however often and by however many ways they are read."""

import sqlglot

from lamina.compiler.query.operators import QueryShape, SelectBlock
from lamina.compiler.slices.composition import Inlined, compose
from lamina.compiler.slices.shape import shape_of


def shape(text: str) -> QueryShape:
    """Return the shape of a query."""
    return shape_of(sqlglot.parse_one(text, dialect="spark"))


def inlined(texts: dict[str, str]) -> dict[str, Inlined]:
    """Return ephemeral models by name."""
    return {name: Inlined(shape(text), f"{name}.sql") for name, text in texts.items()}


def reads(found: QueryShape) -> list[list[str | int]]:
    """Return for each block what it reads: tables and earlier blocks."""
    blocks = [block for block in found.blocks if isinstance(block, SelectBlock)]
    return [[relation.table or relation.block for relation in block.relations] for block in blocks]


def test_a_model_read_by_two_ways_is_put_in_once() -> None:
    parts = inlined({"a": "SELECT x FROM t", "b": "SELECT x FROM a", "c": "SELECT x FROM a"})
    found = compose(shape("SELECT b.x FROM b JOIN c ON b.x = c.x"), parts.get)
    assert found is not None
    assert reads(found) == [["t"], [0], [0], [1, 2]]
    assert [block.file for block in found.blocks] == ["a.sql", "b.sql", "c.sql", ""]


def test_many_diamonds_take_as_many_blocks_as_they_have_models() -> None:
    texts = {"a0": "SELECT x FROM t"}
    for number in range(1, 60):
        texts[f"b{number}"] = texts[f"c{number}"] = f"SELECT x FROM a{number - 1}"
        texts[f"a{number}"] = f"SELECT b.x FROM b{number} AS b JOIN c{number} AS c ON b.x = c.x"
    found = compose(shape("SELECT x FROM a59"), inlined(texts).get)
    assert found is not None
    assert len(found.blocks) == len(texts) + 1


def test_blocks_inside_a_model_keep_their_order() -> None:
    parts = inlined({"a": "WITH q AS (SELECT x FROM t) SELECT x FROM q WHERE x IN (SELECT y FROM u)"})
    found = compose(shape("SELECT x FROM a AS one JOIN v ON v.x = one.x UNION ALL SELECT x FROM a"), parts.get)
    assert found is not None
    assert reads(found) == [["t"], ["u"], [0], [2, "v"], [2]]
    select = found.blocks[2]
    assert isinstance(select, SelectBlock)
    assert [item.block for item in select.subqueries] == [1]


def test_a_loop_of_models_ends() -> None:
    parts = inlined({"a": "SELECT x FROM b", "b": "SELECT x FROM a"})
    found = compose(shape("SELECT x FROM a"), parts.get)
    assert found is not None
    assert reads(found) == [["a"], [0], [1]]


def test_nothing_is_said_where_a_model_cannot_be_read() -> None:
    parts = {**inlined({"a": "SELECT x FROM b"}), "b": Inlined(None, "b.sql")}
    assert compose(shape("SELECT x FROM a"), parts.get) is None


def test_parameters_are_placed_in_the_file_they_are_in() -> None:
    parts = inlined({"a": "SELECT x FROM t WHERE x > @start_date"})
    found = compose(shape("SELECT x, @run_id AS run FROM a"), parts.get)
    assert found is not None
    assert [(use.name, use.file) for use in found.parameters] == [("run_id", ""), ("start_date", "a.sql")]
