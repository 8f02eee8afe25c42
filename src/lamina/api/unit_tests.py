"""The verb that runs the unit tests of models: one session, no lease, no state, no table."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from time import monotonic

from lamina.api.engine import spark_settings
from lamina.api.opened import Opened
from lamina.compiler.graph import Graph
from lamina.compiler.unit_tests.case import UnitCase
from lamina.errors import LaminaError, ProjectInvalid
from lamina.executor.unit_tests import run_case
from lamina.planner.broken import Broken, find_broken, without
from lamina.planner.select import select
from lamina.values.diagnostic import Diagnostic, sort_diagnostics
from lamina.values.event import UnitTestFinished
from lamina.values.tested import UnitTestReport, UnitTestResult, report_of
from lamina.warehouse.spark.trials import Trials
from lamina.warehouse.spark.warehouse import SparkWarehouse


def run_unit_tests(project: Opened, *, include: tuple[str, ...], exclude: tuple[str, ...]) -> UnitTestReport:
    """Run the unit tests of the selected models, all in one session."""
    chosen = frozenset(select(project.graph, include, exclude)) if include or exclude else None
    found = [item for item in project.unit_tests.found if chosen is None or item.model is None or item.model in chosen]
    if found:
        raise ProjectInvalid(sort_diagnostics(found))
    cases = [case for case in project.unit_tests.cases if chosen is None or case.model in chosen]
    if not cases:
        return report_of((), duration_ms=0)
    broken = broken_models(project)
    with working(project, broken) as warehouse:
        trials = warehouse.trials()
        if any(broken.reason(case.model) is None for case in cases):
            trials.open()
        started = monotonic()
        results = tuple(_results(project, trials, cases, broken=broken))
        return report_of(results, duration_ms=round((monotonic() - started) * 1000))


def _results(project: Opened, trials: Trials, cases: list[UnitCase], *, broken: Broken) -> Iterator[UnitTestResult]:
    now = datetime.now(UTC)
    for number, case in enumerate(cases, start=1):
        reason = broken.reason(case.model)
        result = run_case(trials, case, now=now) if reason is None else _unusable(case, reason)
        project.emit(
            UnitTestFinished(
                name=result.name,
                model=case.model,
                status=result.status,
                number=number,
                total=len(cases),
                seconds=result.duration_ms / 1000,
            )
        )
        yield result


def broken_models(project: Opened) -> Broken:
    """Return which models do not compile; raises where that concerns the whole project."""
    errors: tuple[Diagnostic, ...] = tuple(item for item in project.graph.diagnostics if item.severity == "error")
    broken = find_broken(project.graph, errors)
    if broken is None:
        raise ProjectInvalid(errors)
    return broken


@contextmanager
def working(project: Opened, broken: Broken) -> Iterator[SparkWarehouse]:
    """Open the tables for the block, without state and lease; Spark starts when it is needed."""
    usable: Graph = without(project.graph, broken.left_out)
    settings = spark_settings(project.config, usable, project.variables)
    with closing(SparkWarehouse(settings, usable, emit=project.emit)) as warehouse:
        yield warehouse


def _unusable(case: UnitCase, reason: str) -> UnitTestResult:
    place = case.test.place()
    error = LaminaError(f"`{case.model}`: {reason}", hint="`lamina compile` shows what to fix").diagnostic()
    return UnitTestResult(
        name=case.test.name, model=case.model, status="error", error=error, file=place.file, line=place.line
    )
