"""Queries that Spark refuses are found by the rule they are kept under; those it accepts are never accused by it."""

import pytest
from tests.compiler.refusals import codes, queries


@pytest.mark.parametrize(("code", "sql"), queries("refused"))
def test_what_spark_refuses_is_found(code: str, sql: str) -> None:
    assert code in codes(sql)


@pytest.mark.parametrize(("code", "sql"), queries("accepted"))
def test_what_spark_accepts_is_not_accused(code: str, sql: str) -> None:
    assert code not in codes(sql)
