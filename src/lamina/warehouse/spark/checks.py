"""Checks over staged rows: all of one scope in one pass; a check that cannot run has failed."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from lamina.compiler.graph import CompiledModel
from lamina.project.model import CheckSettings
from lamina.values.batch import CheckResult
from lamina.values.interval import Interval
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.spark.sql import quote, quote_all, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


Run = Callable[["DataFrame", list[str]], list[int]]


def run_checks(
    rows: Mapping[str, Callable[[], "DataFrame"]], model: CompiledModel, *, slices: tuple[Interval, ...], run: Run
) -> tuple[CheckResult, ...]:
    """Run a model's checks, those of one scope in one pass over its rows."""
    checks = model.settings.checks
    results: dict[CheckSettings, CheckResult] = {}
    for scope in sorted({check.scope for check in checks}):
        chosen = [check for check in checks if check.scope == scope]
        counts = _counts(rows[scope](), chosen, run)
        results |= {check: _result(check, model, slices, count=count) for check, count in counts.items()}
    return tuple(results[check] for check in checks)


def _counts(frame: "DataFrame", checks: list[CheckSettings], run: Run) -> dict[CheckSettings, int | str]:
    """Count for all checks at once, or one by one to find the one that cannot run."""
    try:
        return dict(zip(checks, run(frame, [_aggregate(check) for check in checks]), strict=True))
    except WarehouseFailure as error:
        if len(checks) == 1:
            return {checks[0]: f"cannot run: {error.message}"}
    return {check: count for single in checks for check, count in _counts(frame, [single], run).items()}


def count_all(frame: "DataFrame", aggregates: list[str]) -> list[int]:
    """Return the values of aggregates over a frame, zero for those over no rows."""
    named = [f"{aggregate} AS c{number}" for number, aggregate in enumerate(aggregates)]
    (row,) = frame.selectExpr(*named).collect()
    return [value or 0 for value in row]


def _aggregate(check: CheckSettings) -> str:
    """Return the SQL that counts for a check."""
    rows = f"({check.where})" if check.where else "true"
    columns = check.columns or ((check.column,) if check.column else ())
    match check.type:
        case "row_count":
            return f"count_if({rows})"
        case "not_null":
            missing = " OR ".join(f"{quote(column)} IS NULL" for column in columns)
            return f"count_if({rows} AND ({missing}))"
        case "accepted_values":
            listed = ", ".join(_literal(value) for value in check.values)
            (column,) = columns
            return f"count_if({rows} AND {quote(column)} NOT IN ({listed}))"
        case "unique":
            # As in SQL, a key with a null in it is like no other.
            known = " AND ".join(f"{quote(column)} IS NOT NULL" for column in columns)
            distinct = f"count(DISTINCT {quote_all(columns)}) FILTER (WHERE {rows})"
            return f"count_if({rows} AND {known}) - {distinct}"
        case "expression":
            return f"count_if({rows} AND NOT coalesce(({check.expression}), false))"


def _literal(value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return text(value) if isinstance(value, str) else repr(value)


def _result(
    check: CheckSettings, model: CompiledModel, slices: tuple[Interval, ...], *, count: int | str
) -> CheckResult:
    columns = check.columns or ((check.column,) if check.column else ())
    least, most = check.min or 0, check.max
    is_count = check.type == "row_count"
    limits = f"{least} or more" if most is None else f"{least} to {most}"
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
