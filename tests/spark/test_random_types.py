"""Random expressions, new ones at every run: the inferred types are never wrong."""

import secrets
import tomllib
from random import Random
from typing import Any

import pytest
from tests.spark.agreement import CORPUS, create_view, infer_expression, read_column, spark_schema
from tests.spark.random_expressions import random_expression

from lamina.values.schema import UNKNOWN

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("suffix", ["", " not null"])
def test_random_expressions_agree(spark: Any, suffix: str) -> None:
    from pyspark.errors import PySparkException

    seed = secrets.randbits(32)
    random = Random(seed)
    written = tomllib.loads((CORPUS / "expressions.toml").read_text())
    columns = {name: read_column(name, text + suffix) for name, text in written.items()}
    create_view(spark, "random_rows", tuple(columns.values()))
    compared = 0
    for _ in range(200):
        text = random_expression(random)
        try:
            (theirs,) = spark_schema(spark, f"SELECT {text} AS result FROM random_rows")
        except PySparkException:
            continue
        ours = infer_expression(text, columns)
        compared += ours.type != UNKNOWN
        assert ours.type in (theirs.type, UNKNOWN), f"{text} (seed {seed})"
        assert ours.nullable or not theirs.nullable, f"{text} can be null (seed {seed})"
    assert compared > 120
