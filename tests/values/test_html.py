"""Results in a notebook: everything that matters is there, and no text of a user becomes markup."""

from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

from lamina.values.diagnostic import Diagnostic
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import EnvironmentName, ModelName, PlanId
from lamina.values.plan import Assumed, Build, Plan, Selection, Skip
from lamina.values.planned import Planned
from lamina.values.result import (
    Materialization,
    ModelStatus,
    ModelVerdict,
    QueryColumn,
    QueryResult,
    RunResult,
    StatusResult,
    VerifyResult,
)

EVIL = "<script>alert('&')</script>"
DAY = Interval(datetime(2026, 4, 7, tzinfo=UTC), datetime(2026, 4, 8, tzinfo=UTC))
FAULT = Diagnostic(code="L203", name="X", severity="error", message=EVIL, file="models/a.sql", line=3, column=1)
RUN = RunResult(
    version="1",
    command="run",
    status="partial",
    exit_code=2,
    run_id="run-1",
    environment="prod",
    plan_id="p",
    execution_time="t",
    duration_ms=1200,
    tables_built=1,
    tables_failed=1,
    rows_written=1200,
    materializations=(
        Materialization("s.good", "completed", "full", EVIL, intervals=(DAY,), rows_written=1200, duration_ms=900),
        Materialization("s.bad", "failed", "full", "failed", error=FAULT),
        Materialization("s.rest", "not_started", "full", "blocked"),
    ),
)
PLAN = Plan(
    plan_id=PlanId("0123456789abcdef"),
    environment=EnvironmentName("prod"),
    execution_time=DAY.end,
    selection=Selection(),
    actions=(
        Build(ModelName("s.good"), (DAY,), EVIL, mode="replace_all"),
        Skip(ModelName("s.rest"), "unchanged"),
    ),
    assumed=Assumed(fingerprints={}, pins={}, bases={}),
)
STATUS = StatusResult(
    environment="prod",
    models=(
        ModelStatus("s.good", "full", "current", "", built=(WHOLE,)),
        ModelStatus("s.bad", "full", "not_built", EVIL, stale=(DAY,)),
    ),
    diagnostics=(FAULT,),
)
VERIFY = VerifyResult(
    status="different",
    models=(
        ModelVerdict("s.good", "equal", rows_expected=7, rows_actual=7),
        ModelVerdict("s.bad", "different", rows_actual=1200, missing=2, examples=(EVIL,)),
        ModelVerdict("s.new", "unverifiable", is_built=False),
    ),
)
ROWS = QueryResult(
    columns=(QueryColumn("id", "int"), QueryColumn(EVIL, "string")), rows=((1, EVIL), (None, "x")), is_cut=True
)


class Seen(HTMLParser):
    """Collect the sentence, the cells and the findings that a browser would show, and refuse other elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.sentence, self.rows, self.found = "", list[list[str]](), list[str]()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"div", "p", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        if tag == "li":
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        match self.open[-1]:
            case "p":
                self.sentence += data
            case "th" | "td":
                self.rows[-1][-1] += data
            case "li":
                self.found[-1] += data


def seen(result: RunResult | Planned | StatusResult | VerifyResult | QueryResult) -> Seen:
    return Seen(result._repr_html_())


def test_a_run_shows_each_model_and_how_it_ended() -> None:
    shown = seen(RUN)
    assert shown.sentence == "built in part; 1 built, 1 failed; 1,200 rows; 1.2 s"
    assert shown.rows == [
        ["model", "status", "rows", "time", "why"],
        ["s.good", "completed", "1,200", "0.9 s", f"2026-04-07: {EVIL}"],
        ["s.bad", "failed", "", "", f"error[L203]: {EVIL} (models/a.sql:3:1)"],
        ["s.rest", "not started", "", "", "blocked"],
    ]


def test_a_plan_shows_each_action_with_its_slices() -> None:
    shown = seen(Planned(plan=PLAN, changes=(), findings=(FAULT,), allowed={ModelName("s.good"): ("L422",)}))
    assert shown.sentence == "plan 0123456789ab for prod: 1 action; s.good allows L422"
    assert shown.rows[1:] == [["s.good", "build", "2026-04-07", EVIL], ["s.rest", "skip", "", "unchanged"]]
    assert shown.found == [f"error[L203]: {EVIL} (models/a.sql:3:1)"]


def test_a_plan_shows_days_of_the_zone_of_the_model() -> None:
    shown = seen(Planned(plan=PLAN, changes=(), zones={ModelName("s.good"): "Asia/Tokyo"}))
    assert shown.rows[1][2] == "2026-04-07T09:00 to 2026-04-08T09:00 Asia/Tokyo"


def test_a_status_shows_the_state_of_each_model() -> None:
    shown = seen(STATUS)
    assert shown.sentence == "prod: 1 of 2 models current"
    assert shown.rows[1:] == [["s.good", "current", "", ""], ["s.bad", "not built", "", f"2026-04-07: {EVIL}"]]
    assert len(shown.found) == 1


def test_a_verification_shows_each_verdict_with_examples() -> None:
    shown = seen(VERIFY)
    assert shown.sentence == "1 of 2 tables equal a recompute, 1 different; 1 not built yet"
    assert shown.rows[1:] == [
        ["s.good", "equal", "7", "0", "0", ""],
        ["s.bad", "different", "1,200", "2", "0", EVIL],
        ["s.new", "not built", "", "", "", ""],
    ]


def test_rows_are_shown_under_the_names_of_their_columns() -> None:
    shown = seen(ROWS)
    assert shown.sentence == "only the first 2 rows"
    assert shown.rows == [["id", EVIL], ["1", EVIL], ["null", "x"]]


@pytest.mark.parametrize(
    "result",
    [
        RUN.replace(materializations=(), status="nothing_to_do"),
        Planned(plan=PLAN.replace(actions=()), changes=()),
        STATUS.replace(models=(), diagnostics=()),
        VERIFY.replace(models=()),
        ROWS.replace(rows=()),
    ],
)
def test_a_result_of_nothing_is_one_sentence(
    result: RunResult | Planned | StatusResult | VerifyResult | QueryResult,
) -> None:
    shown = seen(result)
    assert shown.sentence
    assert (shown.rows, shown.found) == ([], [])
