"""Spark's own analyzer about the table of argument counts: it refuses exactly the numbers that the table leaves out."""

from collections.abc import Container
from typing import TYPE_CHECKING, Any

import pytest

from lamina.compiler.types.functions.facts import ARGUMENT_COUNTS, KNOWN

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

MOST = 8
WITH_UNIT = frozenset({"date_add", "date_diff", "dateadd", "datediff"})  # `datediff(DAY, a, b)` is syntax of its own
OTHERWISE_SYNTAX = frozenset(
    [
        "any",
        "between",
        "case",
        "cast",
        "current_date",
        "current_time",
        "current_timestamp",
        "current_user",
        "div",
        "exists",
        "ilike",
        "in",
        "like",
        "mod",
        "not",
        "or",
        "regexp",
        "rlike",
        "session_user",
        "some",
        "user",
        "when",
    ]
)


class Analyzer:
    """Asks Spark whether it refuses a call because of the number of its arguments."""

    def __init__(self, spark: "SparkSession") -> None:
        gateway: Any = spark
        self.spark = spark
        self.catalyst = gateway._jvm.org.apache.spark.sql.catalyst
        self.registry = gateway._jsparkSession.sessionState().functionRegistry()
        null = gateway._jsparkSession.sessionState().sqlParser().parseExpression("NULL")
        self.arguments = [gateway._jvm.PythonUtils.toSeq([null] * count) for count in range(MOST + 1)]

    def builds(self, name: str, count: int) -> bool:
        """Return whether the registry makes a call; it is quick to ask, and some functions count only later."""
        from pyspark.errors import PySparkException

        try:
            self.registry.lookupFunction(self.catalyst.FunctionIdentifier(name), self.arguments[count])
        except PySparkException as error:
            return not (error.getCondition() or "").startswith("WRONG_NUM_ARGS")
        return True

    def accepts(self, name: str, count: int) -> bool:
        """Return whether a query with the call is not refused for the number of arguments."""
        from pyspark.errors import PySparkException

        try:
            assert self.spark.sql(f"SELECT {name}({', '.join(['NULL'] * count)})").columns
        except PySparkException as error:
            return not (error.getCondition() or "").startswith("WRONG_NUM_ARGS")
        return True


def numbers_to_ask(counts: Container[int]) -> list[int]:
    """Return the numbers around those a function takes."""
    bounded = [count for count in range(MOST + 1) if count in counts]
    most = 5 if len(bounded) > 7 else bounded[-1] + 2
    return list(range(min(most, MOST) + 1))


def test_the_table_allows_exactly_the_numbers_that_spark_does(spark: "SparkSession") -> None:
    analyzer = Analyzer(spark)
    wrong = []
    for name, counts in ARGUMENT_COUNTS.items():
        for count in numbers_to_ask(counts):
            if name in WITH_UNIT and count == 3:
                continue
            taken = analyzer.builds(name, count)
            if taken and count not in counts:
                taken = analyzer.accepts(name, count)
            if taken is not (count in counts):
                wrong.append((name, count, taken))
    assert wrong == []


def test_functions_outside_the_table_refuse_no_number_or_are_syntax_too(spark: "SparkSession") -> None:
    analyzer = Analyzer(spark)
    outside = sorted(KNOWN - ARGUMENT_COUNTS.keys() - OTHERWISE_SYNTAX)
    assert [(name, n) for name in outside for n in range(MOST + 1) if not analyzer.builds(name, n)] == []
