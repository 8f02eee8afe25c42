"""What failed checks say."""

import pytest

from lamina.executor.publish import ChecksFailed
from lamina.values.batch import CheckResult
from lamina.values.names import ModelName

NULLS = CheckResult(
    model=ModelName("sales.orders"),
    name="not_null amount",
    type="not_null",
    column="amount",
    severity="error",
    passed=False,
    observed=2,
    expected=0,
    rows_failed=2,
    scope="batch",
)
COUNT = NULLS.replace(name="row_count", type="row_count", column=None, observed=0, expected=1, rows_failed=None)


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ((NULLS,), "`sales.orders`: 1 check failed: `not_null amount` in 2 rows"),
        ((COUNT,), "`sales.orders`: 1 check failed: `row_count` (0, expected 1)"),
        ((NULLS, COUNT), "`sales.orders`: 2 checks failed: `not_null amount` in 2 rows, `row_count` (0, expected 1)"),
        ((NULLS, COUNT.replace(passed=True)), "`sales.orders`: 1 check failed: `not_null amount` in 2 rows"),
        ((NULLS, COUNT.replace(severity="warn")), "`sales.orders`: 1 check failed: `not_null amount` in 2 rows"),
        (
            (NULLS.replace(examples=("amount = NULL, id = 1", "amount = NULL, id = 2")),),
            "`sales.orders`: 1 check failed: `not_null amount` in 2 rows"
            " (`amount = NULL, id = 1`; `amount = NULL, id = 2`)",
        ),
        (
            (NULLS.replace(file="a.toml", line=3), COUNT.replace(file="a.toml", line=7)),
            "`sales.orders`: 2 checks failed: `not_null amount` in 2 rows, `row_count` (0, expected 1) at a.toml:7",
        ),
        (
            (NULLS.replace(observed="cannot run: no such column", rows_failed=None),),
            "`sales.orders`: 1 check failed: `not_null amount` could not run: no such column",
        ),
    ],
)
def test_only_checks_that_refuse_are_reported_with_what_they_saw(
    results: tuple[CheckResult, ...], message: str
) -> None:
    error = ChecksFailed(results)
    assert error.message == message
    assert error.results == results


def test_failure_is_at_the_place_of_the_first_failed_check() -> None:
    passed = COUNT.replace(passed=True, file=None)
    found = ChecksFailed((passed, NULLS.replace(file="models/a.toml", line=3))).diagnostic()
    assert (found.file, found.line) == ("models/a.toml", 3)
