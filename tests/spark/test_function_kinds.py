"""Spark's own registry against the table of functions: the same names, no aggregate taken for a row function."""

from typing import TYPE_CHECKING, Any

import pytest

from lamina.compiler.types.functions import facts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def groups(spark: "SparkSession") -> dict[str, str]:
    """Return each function of Spark with the group its documentation puts it in."""
    gateway: Any = spark
    catalog = gateway._jsparkSession.sessionState().catalog()
    identifier = gateway._jvm.org.apache.spark.sql.catalyst.FunctionIdentifier
    names = [str(row[0]) for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()]
    words = [name for name in names if name.replace("_", "").isalnum() and name not in ("and", "or", "case")]
    return {name: str(catalog.lookupFunctionInfo(identifier(name)).getGroup()) for name in words}


def test_the_table_holds_exactly_the_functions_of_spark(spark: "SparkSession") -> None:
    found = groups(spark)
    assert sorted(set(found) - facts.KNOWN) == []
    # A name too many would let a query pass that Spark refuses.
    assert sorted(facts.KNOWN - set(found) - {"or", "case"}) == []
    aggregates = {name for name, group in found.items() if group == "agg_funcs"}
    assert sorted(aggregates - facts.AGGREGATES) == []
