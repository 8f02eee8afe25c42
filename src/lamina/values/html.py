"""Results as HTML, for a notebook that shows them: a sentence, a table, what is wrong; every text is escaped."""

from collections.abc import Iterable, Sequence
from html import escape

from lamina.values.cell_text import cell_text
from lamina.values.closing import run_closing, unit_test_closing, verify_closing
from lamina.values.diagnostic import Diagnostic
from lamina.values.diff_words import diff_lines, example_words
from lamina.values.pending import PendingResult
from lamina.values.pending_words import pending_closing, pending_lines
from lamina.values.plan import Action, Rename, Skip
from lamina.values.planned import Planned
from lamina.values.result import Materialization, QueryResult, RunResult, StatusResult, VerifyResult
from lamina.values.table_diff import DiffResult
from lamina.values.tested import UnitTestReport, UnitTestResult, difference_words
from lamina.values.time_words import duration_words, spans_words
from lamina.values.value import tag_of
from lamina.values.words import counted

_LEFT = ' style="text-align:left"'


def run_html(result: RunResult) -> str:
    """Show what a run did to each model."""
    rows = [
        (
            item.model,
            _spaced(item.status),
            f"{item.rows_written:,}" if item.status == "completed" else "",
            duration_words(item.duration_ms / 1000) if item.duration_ms else "",
            _why(item),
        )
        for item in result.materializations
    ]
    return _shown(run_closing(result), ("model", "status", "rows", "time", "why"), rows, result.diagnostics)


def plan_html(planned: Planned) -> str:
    """Show what a run would do to each model."""
    plan = planned.plan
    works = sum(not isinstance(action, Skip) for action in plan.actions)
    sentence = f"plan {plan.plan_id[:12]} for {plan.environment}: " + (counted(works, "action") if works else "no work")
    rows = [
        (action.model, tag_of(action), _spans(action, planned.zones.get(action.model, "UTC")), action.reason)
        for action in plan.actions
    ]
    found = (*planned.findings, *planned.diagnostics)
    allowed = "".join(f"; {model} allows {', '.join(codes)}" for model, codes in planned.allowed.items())
    return _shown(sentence + allowed, ("model", "action", "slices", "why"), rows, found)


def status_html(result: StatusResult) -> str:
    """Show the state of each model."""
    rows = [
        (
            item.model,
            _spaced(item.status),
            spans_words(item.built, item.timezone),
            ": ".join(filter(None, (spans_words(item.stale, item.timezone), item.reason))),
        )
        for item in result.models
    ]
    current = sum(item.status == "current" for item in result.models)
    sentence = f"{result.environment}: {current} of {counted(len(result.models), 'model')} current"
    return _shown(sentence, ("model", "status", "built", "why"), rows, result.diagnostics)


def pending_html(result: PendingResult) -> str:
    """Show what is not built or not read yet."""
    rows = [
        (line.model, _spaced(line.status), line.slices, line.rows, line.why) for line in pending_lines(result.pending)
    ]
    columns = ("model", "status", "slices", "rows", "why")
    return _shown(pending_closing(result), columns, rows, result.diagnostics)


def verify_html(result: VerifyResult) -> str:
    """Show the verdict on each table, with examples of rows that differ."""
    rows = [
        (
            item.model,
            item.status if item.is_built else "not built",
            f"{item.rows_actual:,}" if item.is_built else "",
            f"{item.missing:,}" if item.is_built else "",
            f"{item.extra:,}" if item.is_built else "",
            "; ".join(filter(None, (item.reason, *item.examples))),
        )
        for item in result.models
    ]
    columns = ("model", "verdict", "rows", "missing", "extra", "why")
    return _shown(verify_closing(result.models), columns, rows, result.diagnostics)


def diff_html(result: DiffResult) -> str:
    """Show how two tables differ, with rows that do."""
    rows = [(example_words(row),) for table in result.tables for row in table.examples]
    said = (
        line for line in diff_lines(result.replace(tables=tuple(item.replace(examples=()) for item in result.tables)))
    )
    return _shown("; ".join(" ".join(line.split()) for line in said), ("row",), rows)


def unit_test_html(report: UnitTestReport) -> str:
    """Show how each unit test ended, with the rows that differ."""
    rows = [(item.name, item.model, item.status, _different(item)) for item in report.tests]
    return _shown(unit_test_closing(report), ("test", "model", "status", "why"), rows)


def _different(test: UnitTestResult) -> str:
    if test.error is not None:
        return str(test.error)
    rows = (f"{row.side}: {cell_text(dict(zip(test.columns, row.values, strict=True)))}" for row in test.examples)
    return "; ".join(filter(None, (difference_words(test), *rows)))


def rows_html(result: QueryResult) -> str:
    """Show the rows of a query."""
    count = counted(len(result.rows), "row")
    sentence = f"only the first {count}" if result.is_cut else count
    return _shown(sentence, [column.name for column in result.columns], [map(cell_text, row) for row in result.rows])


def _shown(
    sentence: str, columns: Sequence[str], rows: Sequence[Iterable[str]], found: tuple[Diagnostic, ...] = ()
) -> str:
    head = "".join(f"<th{_LEFT}>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td{_LEFT}>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    wrong = "".join(f"<li>{escape(str(item))}</li>" for item in found)
    return f"<div><p>{escape(sentence)}</p>{table}{f'<ul>{wrong}</ul>' if wrong else ''}</div>"


def _why(item: Materialization) -> str:
    """Return slices and reason of a line; of a failure what went wrong, and where."""
    if item.error is not None:
        return str(item.error)
    return ": ".join(filter(None, (spans_words(item.intervals, item.timezone), item.reason)))


def _spans(action: Action, zone: str) -> str:
    return "" if isinstance(action, Skip | Rename) else spans_words(action.intervals, zone)


def _spaced(word: str) -> str:
    return word.replace("_", " ")
