"""Spark itself about the queries that rules are tested with: it refuses and accepts what they say."""

import os
import tomllib
from random import Random, SystemRandom
from typing import TYPE_CHECKING

import pytest
from tests.compiler.refusals import FOLDER, codes, queries
from tests.spark.agreement import create_view, read_column
from tests.spark.random_groups import random_group

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ERRORS = {
    "L216": r"MISSING_AGGREGATION|MISSING_GROUP_BY|UNRESOLVED_COLUMN",
    "L220": r"GROUP_BY|WHERE|HAVING|NESTED_AGGREGATE|indow function",
    "L221": r"WRONG_NUM_ARGS",
    "L219": r"PARSE_SYNTAX_ERROR|UNSUPPORTED_DATATYPE|DATATYPE_MISSING_SIZE|TRAILING_COMMA|UNRESOLVED_ROUTINE"
    r"|DATETIME_UNIT|INVALID_EXTRACT_FIELD|TABLE_VALUED_FUNCTION|UNRESOLVED_COLUMN|Operation not allowed",
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


def test_no_random_query_that_spark_accepts_is_accused(tables: "SparkSession") -> None:
    from pyspark.errors import PySparkException

    seed = os.environ.get("LAMINA_FUZZ_SEED") or str(SystemRandom().getrandbits(64))
    print(f"\nLAMINA_FUZZ_SEED={seed}")
    random = Random(seed)
    accepted = accused = 0
    for _ in range(150):
        sql = random_group(random)
        found = codes(sql) & {"L216", "L217", "L219", "L220", "L221"}
        try:
            assert tables.sql(sql).columns
        except PySparkException:
            accused += bool(found)
            continue
        accepted += 1
        assert not found, f"LAMINA_FUZZ_SEED={seed}: {sql}"
    assert accepted > 20
    assert accused > 20
