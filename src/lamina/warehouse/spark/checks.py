"""Checks over staged rows: all that look at the same rows in one pass; a check that cannot run has failed."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from lamina.compiler.graph import CompiledModel
from lamina.project.model import CheckSettings
from lamina.values.batch import CheckResult
from lamina.values.interval import Interval
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.spark.check_sql import aggregate
from lamina.warehouse.spark.checked_rows import CheckedRows, Run
from lamina.warehouse.spark.failing_rows import examples_of
from lamina.warehouse.spark.unique_keys import meeting_keys

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


Frame = Callable[[], "DataFrame"]


def run_checks(
    rows: CheckedRows,
    model: CompiledModel,
    unproven: tuple[CheckSettings, ...],
    *,
    slices: tuple[Interval, ...],
    run: Run,
) -> tuple[CheckResult, ...]:
    """Run a model's checks, those over the same rows in one pass, and find examples of what fails.

    Keys of `unproven` checks are counted over all rows that stay.
    """
    checks = model.settings.checks
    seen = {check: rows.in_full() if check in unproven else rows for check in checks}
    groups: dict[Frame, list[CheckSettings]] = {}
    for check, view in seen.items():
        groups.setdefault(_rows_of(check, view), []).append(check)
    counts: dict[CheckSettings, int | str] = {}
    for frame, chosen in groups.items():
        counts |= _counts(frame(), chosen, run)
    counts |= {check: _with_staying(check, count, seen[check], run) for check, count in counts.items()}
    results = {check: _result(check, model, slices, count=count) for check, count in counts.items()}
    results |= {check: _with_examples(result, check, seen[check], model) for check, result in results.items()}
    return tuple(results[check] for check in checks)


def _rows_of(check: CheckSettings, rows: CheckedRows) -> Frame:
    """Return the rows a check counts over first."""
    if check.is_table_key:
        return rows.fresh
    return rows.table if check.scope == "table" else rows.batch


def _counts(frame: "DataFrame", checks: list[CheckSettings], run: Run) -> dict[CheckSettings, int | str]:
    """Count for all checks at once, or one by one to find the one that cannot run."""
    try:
        counts = run(frame, [aggregate(check) for check in checks])
        return {check: count or 0 for check, count in zip(checks, counts, strict=True)}
    except WarehouseFailure as error:
        if len(checks) == 1:
            return {checks[0]: f"cannot run: {error.message}"}
    return {check: count for single in checks for check, count in _counts(frame, [single], run).items()}


def _with_staying(check: CheckSettings, count: int | str, rows: CheckedRows, run: Run) -> int | str:
    """Add the rows that stay in the table and have a key of the new ones."""
    if not check.is_table_key or rows.staying is None or isinstance(count, str):
        return count
    try:
        met = meeting_keys(check, fresh=rows.fresh(), staying=rows.staying(), run=run)
        return count if met is None else count + run(met, ["count(1)"])[0]
    except WarehouseFailure as error:
        return f"cannot run: {error.message}"


def _with_examples(result: CheckResult, check: CheckSettings, rows: CheckedRows, model: CompiledModel) -> CheckResult:
    if result.passed or not result.rows_failed:
        return result
    return result.replace(examples=examples_of(check, rows, model))


def _result(
    check: CheckSettings, model: CompiledModel, slices: tuple[Interval, ...], *, count: int | str
) -> CheckResult:
    least, most = check.min or 0, check.max
    is_count = check.type == "row_count"
    limits = f"{least} or more" if most is None else f"{least} to {most}"
    columns = check.columns or ((check.column,) if check.column else ())
    return CheckResult(
        model=model.name,
        name=check.name or check.expression or "_".join((check.type, *columns)),
        type=check.type,
        column=check.column,
        severity=check.severity,
        passed=isinstance(count, int) and _is_passed(check, count),
        observed=count,
        expected=limits if is_count else check.max_failed_rows,
        rows_failed=count if isinstance(count, int) and not is_count else None,
        scope=check.scope,
        intervals=slices,
    )


def _is_passed(check: CheckSettings, count: int) -> bool:
    if check.type == "row_count":
        return (check.min or 0) <= count and (check.max is None or count <= check.max)
    return count <= check.max_failed_rows
