"""Checks over bags of rows, as far as simulated models declare them."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tests.simulation.algebra import Relation, Row

from lamina.compiler.graph import CompiledModel
from lamina.planner.quarantine import sorting_checks
from lamina.project.model import CheckSettings
from lamina.values.batch import CheckResult
from lamina.values.interval import Interval
from lamina.values.names import FAILED_CHECKS, TableName


def run_checks(
    written: Relation,
    staying: Relation,
    model: CompiledModel,
    slices: tuple[Interval, ...],
    *,
    unproven: tuple[CheckSettings, ...],
    known: Mapping[TableName, Relation | None],
) -> tuple[CheckResult, ...]:
    """Return the outcome of every check of a model over the rows a batch wrote, and those that stay beside them.

    `known` are the tables that checks look values up in; None: one is not built.
    """
    every = Relation(written.columns, written.rows + staying.rows)
    none = Relation(written.columns, ())
    rows = ((every, none) if check in unproven else (written, staying) for check in model.settings.checks)
    pairs = zip(model.settings.checks, rows, strict=True)
    return tuple(_run(check, looked_at, beside, model, slices, known) for check, (looked_at, beside) in pairs)


def _run(
    check: CheckSettings,
    written: Relation,
    staying: Relation,
    model: CompiledModel,
    slices: tuple[Interval, ...],
    known: Mapping[TableName, Relation | None],
) -> CheckResult:
    if check.to is not None:
        failed = not_found(check, written, known[model.looked_up[check.to]])
    else:
        failed = _failed(check, written) + met_keys(check, written, staying)
    return CheckResult(
        model=model.name,
        name=check.name or check.type,
        type=check.type,
        column=check.column,
        severity=check.severity,
        passed=failed <= check.max_failed_rows,
        observed=failed,
        expected=0,
        rows_failed=failed,
        scope=check.scope,
        intervals=slices,
    )


def sorted_rows(result: Relation, model: CompiledModel) -> tuple[Relation, Relation]:
    """Return the rows that pass the checks which sort rows out, and the others with the names of those they fail."""
    failed = {row: _failed_names(result, row, model) for row in result.rows}
    good = tuple(row for row in result.rows if not failed[row])
    bad = tuple((*row, failed[row]) for row in result.rows if failed[row])
    return Relation(result.columns, good), Relation((*result.columns, FAILED_CHECKS), bad)


def _failed_names(result: Relation, row: Row, model: CompiledModel) -> str:
    single = Relation(result.columns, (row,))
    return ", ".join(check.title for check in sorting_checks(model) if _failed(check, single))


def met_keys(check: CheckSettings, written: Relation, staying: Relation) -> int:
    """Count the rows that stay and have a key of the written ones."""
    if check.type != "unique" or check.scope != "table":
        return 0
    new = set(_keys(check, written))
    return sum(key in new for key in _keys(check, staying))


def not_found(check: CheckSettings, written: Relation, other: Relation | None) -> int:
    """Count the rows whose value is not in the column of the table it refers to; without a table, all of them."""
    if other is None:
        return max(1, len(written.rows))
    found = {row[other.place(str(check.field))] for row in other.rows}
    cells = (row[written.place(str(check.column))] for row in written.rows)
    return sum(cell is not None and cell not in found for cell in cells)


def _keys(check: CheckSettings, relation: Relation) -> list[Row]:
    """Return the keys of rows, without those that have a null in them."""
    places = [relation.place(name) for name in check.names]
    keys = (tuple(row[place] for place in places) for row in relation.rows)
    return [key for key in keys if None not in key]


def _failed(check: CheckSettings, relation: Relation) -> int:
    match check.type:
        case "row_count":
            return int(not _is_within(check, len(relation.rows)))
        case "in_range":
            cells = (row[relation.place(str(check.column))] for row in relation.rows)
            return sum(cell is not None and not _is_within(check, cell) for cell in cells)
        case "not_null":
            return sum(row[relation.place(str(check.column))] is None for row in relation.rows)
        case "accepted_values":
            cells = (row[relation.place(str(check.column))] for row in relation.rows)
            return sum(cell is not None and cell not in check.values for cell in cells)
        case "unique":
            seen = Counter(_keys(check, relation))
            return sum(number - 1 for number in seen.values())
        case kind:
            raise NotImplementedError(f"{kind} is checked on Spark")


def _is_within(check: CheckSettings, value: Any) -> bool:
    return (check.min is None or value >= check.min) and (check.max is None or value <= check.max)
