"""Spark itself about the queries that rules are tested with: it refuses and accepts what they say."""

import tomllib
from typing import TYPE_CHECKING

import pytest
from tests.compiler.test_refusals import FOLDER, queries
from tests.spark.agreement import create_view, read_column

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ERRORS = {
    "L216": r"MISSING_AGGREGATION|MISSING_GROUP_BY|UNRESOLVED_COLUMN",
    "L219": r"PARSE_SYNTAX_ERROR|UNSUPPORTED_DATATYPE|DATATYPE_MISSING_SIZE|TRAILING_COMMA|UNRESOLVED_ROUTINE",
}


@pytest.fixture(scope="module")
def tables(spark: "SparkSession") -> "SparkSession":
    """Return a session that knows the tables."""
    for name, columns in tomllib.loads((FOLDER / "tables.toml").read_text()).items():
        create_view(spark, name, tuple(read_column(*item) for item in columns.items()))
    return spark


def test_spark_accepts_what_is_not_accused(tables: "SparkSession") -> None:
    for _, sql in queries("accepted"):
        assert tables.sql(sql).columns, sql


def test_spark_refuses_what_is_found(tables: "SparkSession") -> None:
    from pyspark.errors import AnalysisException

    for code, sql in queries("refused"):
        with pytest.raises(AnalysisException, match=ERRORS[code]):
            pytest.fail(f"{sql}: {tables.sql(sql).columns}")
