"""Checks over bags of rows, as far as simulated models declare them."""

from collections import Counter

from tests.simulation.algebra import Relation, Row

from lamina.compiler.graph import CompiledModel
from lamina.project.model import CheckSettings
from lamina.values.batch import CheckResult
from lamina.values.interval import Interval


def run_checks(
    written: Relation,
    staying: Relation,
    model: CompiledModel,
    slices: tuple[Interval, ...],
    *,
    unproven: tuple[CheckSettings, ...],
) -> tuple[CheckResult, ...]:
    """Return the outcome of every check of a model over the rows a batch wrote, and those that stay beside them."""
    every = Relation(written.columns, written.rows + staying.rows)
    none = Relation(written.columns, ())
    rows = ((every, none) if check in unproven else (written, staying) for check in model.settings.checks)
    pairs = zip(model.settings.checks, rows, strict=True)
    return tuple(_run(check, looked_at, beside, model, slices) for check, (looked_at, beside) in pairs)


def _run(
    check: CheckSettings, written: Relation, staying: Relation, model: CompiledModel, slices: tuple[Interval, ...]
) -> CheckResult:
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


def met_keys(check: CheckSettings, written: Relation, staying: Relation) -> int:
    """Count the rows that stay and have a key of the written ones."""
    if check.type != "unique" or check.scope != "table":
        return 0
    new = set(_keys(check, written))
    return sum(key in new for key in _keys(check, staying))


def _keys(check: CheckSettings, relation: Relation) -> list[Row]:
    """Return the keys of rows, without those that have a null in them."""
    places = [relation.place(name) for name in check.names]
    keys = (tuple(row[place] for place in places) for row in relation.rows)
    return [key for key in keys if None not in key]


def _failed(check: CheckSettings, relation: Relation) -> int:
    match check.type:
        case "row_count":
            count = len(relation.rows)
            return int(count < (check.min or 0) or (check.max is not None and count > check.max))
        case "not_null":
            return sum(row[relation.place(str(check.column))] is None for row in relation.rows)
        case "accepted_values":
            cells = (row[relation.place(str(check.column))] for row in relation.rows)
            return sum(cell is not None and cell not in check.values for cell in cells)
        case "unique":
            seen = Counter(_keys(check, relation))
            return sum(number - 1 for number in seen.values())
        case "expression":
            raise NotImplementedError("expressions are checked on Spark")
