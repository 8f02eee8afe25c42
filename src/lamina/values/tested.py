"""What unit tests gave: one line for each test, with the rows that differ."""

from typing import Any, Literal

from lamina.values.diagnostic import Diagnostic
from lamina.values.value import Value
from lamina.values.words import counted

Side = Literal["missing", "extra"]
TestStatus = Literal["passed", "failed", "error"]


class DifferentRow(Value, frozen=True):
    """A row that was expected and is missing, or that was not expected: the values of the compared columns in order."""

    side: Side
    values: tuple[Any, ...]


class UnitTestResult(Value, frozen=True):
    """How one unit test ended."""

    name: str
    model: str
    status: TestStatus
    missing: int = 0
    extra: int = 0
    columns: tuple[str, ...] = ()  # that were compared
    examples: tuple[DifferentRow, ...] = ()  # of a failed test, up to twenty of each side
    error: Diagnostic | None = None  # why it could not be run
    file: str = ""
    line: int = 1
    duration_ms: int = 0


class CreatedTest(Value, frozen=True):
    """A unit test that was written from current rows."""

    name: str
    file: str
    rows_given: dict[str, int]  # by input
    rows_expected: int


class UnitTestReport(Value, frozen=True):
    """The document of `test`."""

    status: Literal["passed", "failed", "no_tests"]
    tests: tuple[UnitTestResult, ...] = ()
    created: CreatedTest | None = None
    duration_ms: int = 0  # without the start of Spark

    @property
    def exit_code(self) -> int:
        """Return 1 unless every test passed."""
        return 1 if self.status == "failed" else 0

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        from lamina.values.html import unit_test_html

        return unit_test_html(self)


def report_of(tests: tuple[UnitTestResult, ...], *, duration_ms: int) -> UnitTestReport:
    """Return the report of some tests."""
    status: Literal["passed", "failed", "no_tests"] = "passed" if tests else "no_tests"
    if any(item.status != "passed" for item in tests):
        status = "failed"
    return UnitTestReport(status=status, tests=tests, duration_ms=duration_ms)


def difference_words(test: UnitTestResult) -> str:
    """Say how many rows differ.

    >>> difference_words(UnitTestResult("t", "m", "failed", missing=1, extra=2))
    '1 row is missing, 2 rows are extra'
    """
    counts = {"missing": test.missing, "extra": test.extra}
    return ", ".join(
        f"{counted(count, 'row')} {'is' if count == 1 else 'are'} {side}" for side, count in counts.items() if count
    )


def is_one_changed(test: UnitTestResult) -> bool:
    """Return whether one row came out otherwise than expected: then its columns are worth a comparison."""
    return test.missing == test.extra == 1 and len(test.columns) > 1
