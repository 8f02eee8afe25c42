"""Compare what state records of a table with what the table itself says: its head and its mark."""

from lamina.planner.recover import Recorded
from lamina.planner.segments import covered
from lamina.values.coverage import Coverage, Mark
from lamina.values.custody import StateDifference
from lamina.values.facts import Head
from lamina.values.interval import Interval, subtract
from lamina.values.names import ModelName
from lamina.values.words import counted


def differences(
    held: Recorded | None, head: Head, *, model: ModelName, mark: Mark | None
) -> tuple[StateDifference, ...]:
    """Return everything that state and table say differently; debts and cursors may be ahead of the mark."""
    if head.fault is not None:
        found = [("metadata", _said(held.position if held is not None else None), head.fault)]
    elif held is None or not held.coverage.segments:
        found = [] if mark is None else [("record", "nothing", f"built by run `{mark.run_id}`")]
    elif head.pointer is None:
        found = [("table", f"version {held.position}", "is not in the catalog")]
    else:
        found = [("version", _said(held.position), _said(head.position))] if held.position != head.position else []
        found += [] if mark is None else _coverage_differences(held.coverage, mark.coverage)
    return tuple(StateDifference(model=model, what=what, state=state, table=table) for what, state, table in found)


def _coverage_differences(held: Coverage, marked: Coverage) -> list[tuple[str, str, str]]:
    found = []
    # An unfinished slice may have gone on without a build.
    if subtract(covered(held), marked.quiet) != covered(marked):
        found.append(("built ranges", _ranges(covered(held)), _ranges(covered(marked))))
    # State takes a range over on a new grid, and its mark stays as it was written.
    gridless = {logic.fingerprint: logic.gridless for logic in (*marked.logics, *held.logics) if logic.gridless}
    codes, marks = (
        {gridless.get(segment.logic, segment.logic) for segment in item.segments} for item in (held, marked)
    )
    if codes != marks:
        found.append(("code", ", ".join(sorted(codes)), ", ".join(sorted(marks))))
    if held.start != marked.start:
        found.append(("start", _said(held.start), _said(marked.start)))
    if held.watermark != marked.watermark:
        found.append(("watermark", _said(held.watermark), _said(marked.watermark)))
    inputs = [{cursor.input for cursor in item.cursors} for item in (held, marked)]
    if inputs[0] != inputs[1]:
        found.append(("inputs", ", ".join(sorted(inputs[0])), ", ".join(sorted(inputs[1]))))
    return found


def _said(value: str | None) -> str:
    return "none" if value is None else value


def _ranges(spans: tuple[Interval, ...]) -> str:
    if not spans:
        return "none"
    return f"{counted(len(spans), 'range')} from {spans[0].start.isoformat()} to {spans[-1].end.isoformat()}"
