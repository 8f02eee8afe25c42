"""Why a model does not run, as a person reads it."""

from tests.planner.making import days

from lamina.cli.at_time import at_time_lines
from lamina.values.at_time import AtTime, InputAtTime, RunOfModel
from lamina.values.interval import WHOLE
from lamina.values.pending import Pending

AT = AtTime(
    execution_time="2026-04-04T06:00:00Z",
    status="waiting",
    reason="sales.orders has not built 2026-04-03 yet",
    schedule="each day, released when the day is over",
    is_whole=False,
    due=days(1, 3),
    next_due="2026-04-05T00:00:00Z",
    built=(days(1, 2),),
    pending=(
        Pending(
            model="sales.stats",
            start="2026-04-03T00:00:00Z",
            end="2026-04-04T00:00:00Z",
            reason="sales.orders has not built 2026-04-03 yet",
            status="waiting",
        ),
    ),
    inputs=(
        InputAtTime(
            input="sales.orders",
            is_model=True,
            status="current",
            reason="unchanged",
            built=(days(1, 2),),
            waiting=(days(3),),
            until="2026-04-04T12:00:00Z",
        ),
        InputAtTime(input="raw.names", is_model=False),
    ),
)


def test_the_answer_comes_first_and_then_what_it_follows_from() -> None:
    run = RunOfModel("run-1", "run", "2026-04-04T05:00:00Z", status="waiting", reason="not yet")
    assert at_time_lines("sales.stats", AT.replace(last_run=run)) == [
        "sales.stats at 2026-04-04T06:00:00Z: waiting",
        "",
        "schedule  each day, released when the day is over",
        "due       2026-04-01 to 2026-04-03; more at 2026-04-05T00:00:00Z",
        "built     2026-04-01 to 2026-04-02",
        "last run  run-1 for 2026-04-04T05:00:00Z: waiting, not yet",
        "",
        "pending",
        "  waiting  2026-04-03: sales.orders has not built 2026-04-03 yet",
        "",
        "inputs",
        "  sales.orders  up to date, built 2026-04-01 to 2026-04-02",
        "    2026-04-03 waits for it until 2026-04-04T12:00:00Z",
        "  raw.names     source, counts as complete up to 2026-04-04T06:00:00Z",
        "",
        "from the tables and inputs as they are now",
    ]


def test_a_model_with_nothing_to_do_says_why() -> None:
    idle = AT.replace(status="current", reason="unchanged", pending=(), inputs=())
    lines = at_time_lines("sales.stats", idle)
    assert lines[0] == "sales.stats at 2026-04-04T06:00:00Z: up to date"
    assert "pending   nothing" in lines
    assert "inputs    none" in lines
    early = idle.replace(reason="nothing is due before 2026-04-02T00:00Z", due=None, built=())
    lines = at_time_lines("sales.stats", early)
    assert lines[0].endswith(": nothing is due before 2026-04-02T00:00Z")
    assert "due       nothing before 2026-04-05T00:00:00Z" in lines
    assert "built     nothing yet" in lines


def test_what_failed_is_said_of_the_input() -> None:
    failed = InputAtTime(
        input="a.b", is_model=True, status="failed", reason="no number", built=(WHOLE,), blocked=(days(3),)
    )
    lines = at_time_lines("sales.stats", AT.replace(status="blocked", inputs=(failed,)))
    assert "  a.b  failed, built the whole table: no number" in lines
    assert "    2026-04-03 reads what failed there" in lines


def test_a_whole_table_has_a_next_tick_only_with_a_cron() -> None:
    whole = AT.replace(is_whole=True, due=None, built=(WHOLE,), next_due=None)
    assert not [line for line in at_time_lines("a.b", whole) if line.startswith("due")]
    ticking = whole.replace(next_due="2026-04-05T00:00:00Z")
    assert "due       at the earliest at 2026-04-05T00:00:00Z once more" in at_time_lines("a.b", ticking)
