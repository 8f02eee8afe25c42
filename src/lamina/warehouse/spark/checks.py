"""Checks over rows: all that look at the same rows in one pass; a check that cannot run has failed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lamina.compiler.graph import CompiledModel
from lamina.planner.quarantine import sorting_checks
from lamina.project.model import CheckSettings
from lamina.values.batch import CheckResult
from lamina.values.interval import Interval
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.spark.check_reads import CheckReads, mark_of
from lamina.warehouse.spark.check_values import Judged, judged
from lamina.warehouse.spark.checked_rows import CheckedRows
from lamina.warehouse.spark.failing_rows import examples_of
from lamina.warehouse.spark.unique_keys import meeting_keys

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


Frame = Callable[[], "DataFrame"]


def run_checks(
    rows: CheckedRows,
    model: CompiledModel,
    around: CheckReads,
    *,
    unproven: tuple[CheckSettings, ...],
    slices: tuple[Interval, ...],
) -> tuple[CheckResult, ...]:
    """Run a model's checks, those over the same rows in one pass, and find examples of what fails.

    Keys of `unproven` checks are counted over all rows that stay.
    """
    checks = model.settings.checks
    seen = {check: rows.in_full() if check in unproven else rows for check in checks}
    groups: dict[tuple[Frame, str | None], list[CheckSettings]] = {}
    for check, view in seen.items():
        if check.type != "custom_sql":
            # An aggregate may be made of several, so that its condition is one of the rows.
            where = check.where if check.type == "aggregate" else None
            groups.setdefault((_rows_of(check, view), where), []).append(check)
    values: dict[CheckSettings, Any] = {}
    for (frame, where), chosen in groups.items():
        values |= _values(frame, chosen, model, rows, around, where=where)
    values |= {check: _returned(check, model, rows, around) for check in checks if check.type == "custom_sql"}
    values |= {check: _with_staying(check, value, seen[check], around) for check, value in values.items()}
    results = {
        check: _result(check, model, slices, judged(check, values[check], oldest=around.oldest(check)))
        for check in checks
    }
    results |= {check: _with_examples(result, check, seen[check], model, around) for check, result in results.items()}
    return tuple(results[check] for check in checks)


def with_quarantined(
    results: tuple[CheckResult, ...],
    bad: CheckedRows,
    model: CompiledModel,
    around: CheckReads,
    *,
    slices: tuple[Interval, ...],
) -> tuple[CheckResult, ...]:
    """Return the results of all checks, those that sort rows out with what they found in the quarantine."""
    sorting = sorting_checks(model)
    only = model.replace(settings=model.settings.replace(checks=sorting))
    found = dict(zip(sorting, run_checks(bad, only, around, unproven=(), slices=slices), strict=True))
    pairs = zip(model.settings.checks, results, strict=True)
    return tuple(_quarantined(found[check]) if check in found else result for check, result in pairs)


def _quarantined(result: CheckResult) -> CheckResult:
    return result.replace(rows_quarantined=result.rows_failed or 0)


def _rows_of(check: CheckSettings, rows: CheckedRows) -> Frame:
    """Return the rows a check counts over first."""
    if check.is_table_key:
        return rows.fresh
    return rows.table if check.scope == "table" else rows.batch


def _values(
    frame: Frame,
    checks: list[CheckSettings],
    model: CompiledModel,
    rows: CheckedRows,
    around: CheckReads,
    *,
    where: str | None,
) -> dict[CheckSettings, Any]:
    """Compute what all checks compare at once, or one by one to find the one that cannot run."""
    try:
        found = around.with_found(frame(), checks, model, rows, where=where)
        sql = around.sql_for(found, model)
        values = around.count(found, [sql.value(check, mark=mark_of(check, model)) for check in checks])
        return dict(zip(checks, values, strict=True))
    except WarehouseFailure as error:
        if len(checks) == 1:
            return {checks[0]: error}
    singles = (_values(frame, [single], model, rows, around, where=where) for single in checks)
    return {check: value for single in singles for check, value in single.items()}


def _returned(check: CheckSettings, model: CompiledModel, rows: CheckedRows, around: CheckReads) -> Any:
    """Count the rows that the query of a check returns."""
    try:
        return around.count(around.failing_rows(check, model, rows), ["count(1)"])[0]
    except WarehouseFailure as error:
        return error


def _with_staying(check: CheckSettings, count: Any, rows: CheckedRows, around: CheckReads) -> Any:
    """Add the rows that stay in the table and have a key of the new ones."""
    if not check.is_table_key or rows.staying is None or isinstance(count, WarehouseFailure):
        return count
    try:
        met = meeting_keys(check, fresh=rows.fresh(), staying=rows.staying(), run=around.count)
        return count if met is None else count + around.count(met, ["count(1)"])[0]
    except WarehouseFailure as error:
        return error


def _with_examples(
    result: CheckResult, check: CheckSettings, rows: CheckedRows, model: CompiledModel, around: CheckReads
) -> CheckResult:
    if result.passed or not result.rows_failed:
        return result
    return result.replace(examples=examples_of(check, rows, model, around))


def _result(check: CheckSettings, model: CompiledModel, slices: tuple[Interval, ...], outcome: Judged) -> CheckResult:
    return CheckResult(
        model=model.name,
        name=check.title,
        type=check.type,
        column=check.column,
        severity=check.severity,
        passed=outcome.passed,
        observed=outcome.observed,
        expected=outcome.expected,
        rows_failed=outcome.rows_failed,
        scope=check.scope,
        intervals=slices,
    )
