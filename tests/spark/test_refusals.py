"""Spark itself about the queries that rules are tested with: it refuses and accepts what they say."""

import os
import tomllib
from collections.abc import Callable
from itertools import combinations
from random import Random, SystemRandom
from typing import TYPE_CHECKING

import pytest
from tests.compiler.refusals import FOLDER, codes, queries
from tests.spark.agreement import create_view, read_column
from tests.spark.random_groups import random_group
from tests.spark.random_refusals import random_refusal

from lamina.compiler.types.coercion import common_type
from lamina.values.schema import DataType

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ERRORS = {
    "L211": r"UNRESOLVED_COLUMN",
    "L214": r"NUM_COLUMNS_MISMATCH",
    "L216": r"MISSING_AGGREGATION|MISSING_GROUP_BY|UNRESOLVED_COLUMN",
    "L219": r"PARSE_SYNTAX_ERROR|UNSUPPORTED_DATATYPE|DATATYPE_MISSING_SIZE|TRAILING_COMMA|UNRESOLVED_ROUTINE"
    r"|DATETIME_UNIT|INVALID_EXTRACT_FIELD|TABLE_VALUED_FUNCTION|UNRESOLVED_COLUMN|Operation not allowed",
    "L220": r"GROUP_BY|WHERE|HAVING|NESTED_AGGREGATE|indow (?:aggregate )?function|DISTINCT_WINDOW|FOR_WINDOW|GENERATOR"
    r"|UNRESOLVED_COLUMN",
    "L221": r"WRONG_NUM_ARGS",
    "L222": r"INCOMPATIBLE_COLUMN_TYPE",
    "L223": r"MORE_THAN_ONE_OUTPUT_COLUMN|IN_SUBQUERY_LENGTH_MISMATCH",
    "L224": r"DUPLICATED_CTE_NAMES",
    "L225": r"FIELD_NOT_FOUND|INVALID_EXTRACT_BASE_FIELD_TYPE|UNRESOLVED_COLUMN",
}

TYPES = (
    *("boolean", "int", "double", "decimal(10,2)", "string", "binary", "date", "timestamp"),
    *("array<int>", "array<date>", "map<string,int>", "map<string,date>", "interval day", "interval month"),
)


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


def test_columns_whose_types_have_no_common_one_cannot_be_united(spark: "SparkSession") -> None:
    from pyspark.errors import AnalysisException

    kinds = [DataType(kind) for kind in TYPES]
    pairs = [(one, other) for one, other in combinations(kinds, 2) if common_type(one, other) is None]
    assert len(pairs) > 30
    for one, other in pairs:
        sql = f"SELECT CAST(NULL AS {one}) AS x UNION ALL SELECT CAST(NULL AS {other})"
        assert "L222" in codes(sql)
        with pytest.raises(AnalysisException, match=ERRORS["L222"]):
            pytest.fail(f"{sql}: {spark.sql(sql).columns}")


@pytest.mark.parametrize("random_query", [random_group, random_refusal])
def test_no_random_query_that_spark_accepts_is_accused(
    tables: "SparkSession", random_query: Callable[[Random], str]
) -> None:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    seed = os.environ.get("LAMINA_FUZZ_SEED") or str(SystemRandom().getrandbits(64))
    print(f"\nLAMINA_FUZZ_SEED={seed}")
    random = Random(seed)
    accepted = accused = 0
    for _ in range(150):
        sql = random_query(random)
        found = codes(sql) & {"L217", *ERRORS}
        try:
            assert tables.sql(sql).columns
        except (PySparkException, Py4JJavaError):  # some functions fail in a way that Spark does not report as its own
            accused += bool(found)
            continue
        accepted += 1
        assert not found, f"LAMINA_FUZZ_SEED={seed}: {sql}"
    assert accepted > 20
    assert accused > 20
