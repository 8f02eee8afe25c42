"""Outputs that a WHERE keeps from being null."""

import pytest
from tests.compiler.projects import graph_of, model, source

from lamina.project.strategy import Merge
from lamina.values.names import ColumnName

ORDERS = source("raw.orders", "id bigint, code bigint")
OTHERS = source("raw.others", "id bigint, code bigint")


@pytest.mark.parametrize(
    ("query", "is_filled"),
    [
        ("SELECT id, code FROM raw.orders WHERE id IS NOT NULL", True),
        ("SELECT * FROM raw.orders AS o WHERE code > 1 AND (o.id IS NOT NULL)", True),
        ("SELECT code AS id FROM raw.orders WHERE code IS NOT NULL", True),
        ("SELECT o.id FROM raw.orders o LEFT JOIN raw.others p ON o.code = p.code WHERE o.id IS NOT NULL", True),
        ("SELECT id, count(*) AS n FROM raw.orders WHERE id IS NOT NULL GROUP BY id", True),
        ("WITH c AS (SELECT id FROM raw.orders) SELECT id FROM c WHERE id IS NOT NULL", True),
        ("SELECT id FROM raw.orders", False),
        ("SELECT id FROM raw.orders WHERE id IS NULL", False),
        ("SELECT id FROM raw.orders WHERE id IS NOT NULL OR code = 1", False),
        ("SELECT code AS id FROM raw.orders WHERE id IS NOT NULL", False),
        ("SELECT nullif(id, 1) AS id FROM raw.orders WHERE id IS NOT NULL", False),
        ("SELECT p.id FROM raw.orders o LEFT JOIN raw.others p ON o.code = p.code WHERE o.id IS NOT NULL", False),
        ("SELECT id, count(*) AS n FROM raw.orders WHERE id IS NOT NULL GROUP BY ROLLUP (id)", False),
        ("SELECT id FROM raw.orders WHERE id IS NOT NULL UNION ALL SELECT id FROM raw.others", False),
    ],
)
def test_a_key_that_the_filter_fills_is_no_nullable_merge_key(query: str, is_filled: bool) -> None:
    asked = model("main.m", query, strategy=Merge(unique_key=(ColumnName("id"),)))
    codes = [item.code for item in graph_of(ORDERS, OTHERS, asked).diagnostics]
    assert ("L241" not in codes) == is_filled
