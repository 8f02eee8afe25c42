"""Spark itself about the queries that the finding of ungrouped columns is tested with."""

import tomllib
from typing import TYPE_CHECKING

import pytest
from tests.compiler.test_ungrouped import FOLDER, lines
from tests.spark.agreement import create_view, read_column

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def tables(spark: "SparkSession") -> "SparkSession":
    """Return a session that knows the tables."""
    for name, columns in tomllib.loads((FOLDER / "tables.toml").read_text()).items():
        create_view(spark, name, tuple(read_column(*item) for item in columns.items()))
    return spark


def test_spark_accepts_what_is_not_accused(tables: "SparkSession") -> None:
    for sql in lines("accepted.sql"):
        assert tables.sql(sql).columns, sql


def test_spark_refuses_what_is_found(tables: "SparkSession") -> None:
    from pyspark.errors import AnalysisException

    for sql in lines("refused.sql"):
        with pytest.raises(AnalysisException, match=r"MISSING_AGGREGATION|MISSING_GROUP_BY|UNRESOLVED_COLUMN"):
            assert tables.sql(sql).columns, sql
