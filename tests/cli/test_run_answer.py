"""What a run says at its end: a line for each model, every failure in full once, what comes next."""

import json
from io import StringIO

import pytest
from rich.console import Console
from tests.planner.making import days

from lamina.api.project import Project
from lamina.api.stopping import Stop
from lamina.cli.answer import Options, Screen, emit
from lamina.cli.live import run_shown
from lamina.cli.progress import TerminalDisplay, event_line
from lamina.cli.run_answer import run_answer
from lamina.values.batch import CheckResult
from lamina.values.cell_text import cell_text
from lamina.values.diagnostic import Diagnostic
from lamina.values.event import StepFinished
from lamina.values.interval import WHOLE
from lamina.values.names import ModelName
from lamina.values.pending import NextDue
from lamina.values.result import Materialization, Propagation, RunResult, RunStatus

LONG = "Division by zero. Use `try_divide` to tolerate divisor being 0"
ERROR = Diagnostic(
    code="L630",
    name="WarehouseFailure",
    severity="error",
    message=f"`s.bad`: {LONG}",
    file="m/bad.sql",
    line=3,
    column=7,
)
GOOD = Materialization(model="s.good", status="completed", strategy="merge", reason="first build", rows_written=1200)
BAD = Materialization(model="s.bad", status="failed", strategy="merge", reason=ERROR.message, error=ERROR)
KEPT = Materialization(model="s.kept", status="failed", strategy="merge", reason="failed before: the old reason")
SAME = Materialization(model="s.same", status="skipped", strategy="merge", reason="unchanged")


def result(*items: Materialization, status: RunStatus = "success", **fields: object) -> RunResult:
    return RunResult(
        version="1",
        command="run",
        status=status,
        exit_code=0,
        run_id="run-1",
        environment="prod",
        plan_id="p",
        execution_time="t",
        duration_ms=1500,
        tables_built=sum(item.status == "completed" for item in items),
        tables_failed=sum(item.status == "failed" for item in items),
        materializations=items,
    ).replace(**fields)


def reported(capsys: pytest.CaptureFixture[str], run: RunResult) -> tuple[str, str]:
    """Return what is printed: the answer and the story."""
    answer = run_answer(run)
    answer.show(Screen(Options(root=".", output="text", is_quiet=False, variables={})))
    printed = capsys.readouterr()
    return printed.out, printed.err


def test_a_failure_is_reported_in_full_once(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = reported(capsys, result(GOOD, BAD, status="partial"))
    assert (out + err).count("try_divide") == 1
    assert " --> m/bad.sql:3:7" in err
    assert "see below: m/bad.sql:3:7" in out
    assert "to try again: lamina retry s.bad" in err


@pytest.mark.parametrize("output", ["text", "json"])
def test_results_are_said_once(output: str, capsys: pytest.CaptureFixture[str]) -> None:
    def verb(project: Project, _: Stop) -> RunResult:
        done = StepFinished(model=ModelName("s.good"), status="completed", reason="first build", rows_written=1200)
        project.emit(done)
        return result(GOOD, KEPT)

    options = Options(root=".", output=output, is_quiet=False, variables={})
    emit("run", run_shown(options, verb), options)
    printed = capsys.readouterr()
    assert printed.out.count("1,200 rows") + printed.err.count("1,200 rows") == 1
    assert ("1,200 rows" in printed.out) == (output == "text")
    assert printed.out.count("s.good") == 1
    assert "s.kept" in printed.out


def test_a_quiet_run_says_its_results_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    options = Options(root=".", output="text", is_quiet=True, variables={})
    emit("run", run_shown(options, lambda *_: result(GOOD)), options)
    assert "s.good  completed  1,200" in capsys.readouterr().out


@pytest.mark.parametrize("is_answer", [True, False])
def test_a_terminal_keeps_each_result_whole_where_no_table_follows(is_answer: bool) -> None:
    screen = Console(file=StringIO(), width=40, force_terminal=True, color_system=None)
    display = TerminalDisplay(screen, is_answer=is_answer)
    reason = "one two three four five six seven eight nine ten"
    display(StepFinished(model=ModelName("s.good"), status="completed", reason=reason))
    printed = screen.file.getvalue()  # type: ignore[attr-defined]
    assert ("ten" in printed, display.shown) == (is_answer, {"s.good"} if is_answer else set())


def test_whole_tables_have_no_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    options = Options(root=".", output="json", is_quiet=True, variables={})
    emit("run", run_answer(result(GOOD.replace(intervals=(WHOLE,)), BAD.replace(intervals=(days(1, 1),)))), options)
    found = [item["intervals"] for item in json.loads(capsys.readouterr().out)["materializations"]]
    assert found == [[{"start": None, "end": None}], [{"start": "2026-04-01T00:00:00Z", "end": "2026-04-02T00:00:00Z"}]]


@pytest.mark.parametrize(
    ("cell", "words"),
    [(None, "null"), (True, "true"), ("a", "a"), ([1, None, {"a": "b"}], '[1,null,{"a":"b"}]'), (1.5, "1.5")],
)
def test_cells_are_no_python(cell: object, words: str) -> None:
    assert cell_text(cell) == words


def test_what_ended_a_run_outside_its_models_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    _, err = reported(capsys, result(status="failure", diagnostics=(ERROR,)))
    assert err.count("try_divide") == 1


def test_the_last_line_counts_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = reported(capsys, result(GOOD, BAD, SAME, status="partial", rows_written=1200))
    assert out.splitlines()[-1] == "built in part; 1 built, 1 failed, 1 unchanged; 1,200 rows; 1.5 s"


def test_slices_come_before_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = reported(capsys, result(GOOD.replace(intervals=(days(1, 3),))))
    assert "2026-04-01 to 2026-04-03: first build" in out


def test_a_failure_of_an_earlier_run_is_reported_in_full_once(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = reported(capsys, result(KEPT, status="failure"))
    assert (out + err).count("the old reason") == 1
    assert "to try again" not in err  # the reason says what would help


def test_the_live_line_of_a_failure_is_its_first_sentence() -> None:
    line = event_line(StepFinished(model=ModelName("s.bad"), status="failed", reason=ERROR.message, seconds=1.0))
    assert line is not None
    assert line.plain == "✗ s.bad  Division by zero"


def test_models_that_did_nothing_are_only_counted(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = reported(capsys, result(GOOD, SAME))
    assert "s.good" in out
    assert "s.same" not in out
    assert out.splitlines()[-1] == "1 built, 1 unchanged; 0 rows; 1.5 s"
    assert err == ""


def test_nothing_to_do_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    due = NextDue(cadence="@daily", at="2026-01-02T00:00:00Z", models=1)
    out, _ = reported(capsys, result(SAME, status="nothing_to_do", next_due=(due,)))
    assert out == "nothing to do; 1 unchanged; 1.5 s; next due 2026-01-02T00:00:00Z\n"


def test_spared_readers_and_failed_checks_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    spared = Propagation(input="s.good", model="s.same", decision="skip", reason="only `a` changed")
    check = CheckResult(
        model=ModelName("s.good"),
        name="not_null_a",
        type="not_null",
        column="a",
        severity="warn",
        passed=False,
        observed=2,
        expected=0,
        rows_failed=2,
        scope="batch",
    )
    same = SAME.replace(reason="only `a` changed")
    out, _ = reported(capsys, result(GOOD, same, propagation=(spared,), check_results=(check,)))
    assert "skipped s.same: only `a` changed" in out
    assert "warning: check not_null_a of s.good failed in 2 rows" in out
    shown = check.replace(examples=("a = NULL, id = 1",), file="models/s/good.toml", line=4)
    out, _ = reported(capsys, result(GOOD, check_results=(shown,)))
    assert "s.good failed in 2 rows: a = NULL, id = 1 (models/s/good.toml:4)" in " ".join(out.split())
    out, _ = reported(capsys, result(BAD, check_results=(check.replace(severity="error"),)))
    assert "check not_null_a" not in out


def test_the_document_is_the_result_without_its_header() -> None:
    answer = run_answer(result(GOOD))
    assert answer.body["materializations"][0]["model"] == "s.good"
    assert "status" not in answer.body
