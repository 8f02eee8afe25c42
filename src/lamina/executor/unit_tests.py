"""Run unit tests: what a model gives for given rows, against what is expected; nothing is written or recorded."""

from datetime import UTC, datetime
from time import monotonic
from typing import Protocol

from lamina.compiler.unit_tests.case import TrialRows, UnitCase
from lamina.compiler.unit_tests.difference import difference, examples_of
from lamina.compiler.unit_tests.rows import expected_rows
from lamina.errors import LaminaError
from lamina.planner.staleness import parameters_at
from lamina.values.names import RunId
from lamina.values.tested import UnitTestResult

RUN_ID = RunId("run-test")


class Computing(Protocol):
    """What computes a model over given rows."""

    def rows(self, case: UnitCase, parameters: dict[str, str]) -> TrialRows:
        """Return what the model of a case gives for its rows."""


def run_case(computing: Computing, case: UnitCase, *, now: datetime) -> UnitTestResult:
    """Run one test; a query that fails is the result of this test alone."""
    started = monotonic()
    result = _compared(computing, case, now=now)
    place = case.test.place()
    return result.replace(file=place.file, line=place.line, duration_ms=round((monotonic() - started) * 1000))


def parameters_of(case: UnitCase, *, now: datetime) -> dict[str, str]:
    """Return the run parameters of a test: as it gives them; a day it gives is also the day of the run."""
    given = case.parameters
    text = given.get("execution_time") or given.get("as_of")
    time = now if text is None else datetime.fromisoformat(text)
    known = parameters_at(time if time.tzinfo is not None else time.replace(tzinfo=UTC), RUN_ID)
    return {**known, **({"as_of": given["as_of"]} if "as_of" in given else {})}


def _compared(computing: Computing, case: UnitCase, *, now: datetime) -> UnitTestResult:
    result = UnitTestResult(name=case.test.name, model=case.model, status="passed")
    try:
        given = computing.rows(case, parameters_of(case, now=now))
    except LaminaError as error:
        return result.replace(status="error", error=error.diagnostic())
    expected = expected_rows(case.test, given.columns, model=case.model)
    if expected.found:
        return result.replace(status="error", error=expected.found[0])
    found = difference(expected, given.columns, given.rows)
    return result.replace(
        status="failed" if found.missing or found.extra else "passed",
        missing=len(found.missing),
        extra=len(found.extra),
        columns=tuple(column.name for column in expected.columns),
        examples=examples_of(found, expected.columns),
    )
