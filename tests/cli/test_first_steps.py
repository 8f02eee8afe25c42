"""What a newcomer meets before anything is built, and when a name is misspelt: a clear sentence, no Spark."""

import shutil
from pathlib import Path

import pytest

from lamina.api.starter import start_project
from lamina.cli.app import run_command
from lamina.cli.explain import check_words
from lamina.project.model import CheckSettings
from lamina.values.closing import verify_closing
from lamina.values.names import ColumnName
from lamina.values.result import ModelVerdict


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    start_project(str(tmp_path / "shop"), "quickstart")
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path / "shop"


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("line", "exit_code", "says"),
    [
        ("verify", 0, "nothing is built yet, so nothing can be verified: `lamina run` builds it"),
        ("history", 0, "nothing has run yet"),
        ("run-info latest", 1, "error[L600]: nothing has run yet\n\nhint: `lamina run` starts the first run"),
        ("run-info run-1", 1, "nothing has run yet"),
        (
            "show daily_revenue",
            1,
            "`sales.daily_revenue` is not built yet\n\nhint: `lamina run -s sales.daily_revenue`",
        ),
        ("show completed_orders", 64, "`sales.completed_orders` is ephemeral: it has no table"),
        ("intervals completed_orders", 64, "`sales.completed_orders` is ephemeral: it has no table"),
        ("accept completed_orders", 64, "`sales.completed_orders` is ephemeral: it has no table"),
        ("intervals staging.orders", 0, "staging.orders has no intervals: it is built as a whole"),
        ("intervals daily_revenue", 0, "missing  2026-04-01T00:00:00Z  2026-05-01T00:00:00Z  first build"),
        (
            "lineage daily_revenue.revenu",
            64,
            "`sales.daily_revenue` has no column `revenu`\n\nhint: did you mean `revenue`?",
        ),
        ("lineage raw.customers.zzzzzz", 64, "hint: it has `customer_id`, `name`, `country` and 1 more"),
        ("lineage daily_revnue.revenue", 64, "hint: did you mean `daily_revenue`?"),
        ("query SELECT+1+FROM+daily_revenu", 64, "hint: did you mean `daily_revenue`?"),
        ("query SELECT+1+FROM+daily_revenue", 1, "`sales.daily_revenue` is not built yet"),
        (
            "show raw.orders",
            64,
            "`raw.orders` is a source, not a model\n\nhint: `lamina query 'SELECT * FROM raw.orders'`",
        ),
        ("status -s completed_orders", 0, "none of the selected models has a table"),
        ("verify -s completed_orders", 0, "none of the selected models has a table"),
        ("plan -s staging.orders --partition 2026-04-01", 64, "slices are requested, but `staging.orders` has none"),
        ("explain staging.orders", 0, "accepted_values status in (completed, returned, pending)  [only warns]"),
    ],
)
def test_a_command_says_what_is_not_there(
    line: str, exit_code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *arguments = line.split()
    words = [item.replace("+", " ") for item in arguments]
    assert run_command(name, [*words, "--output", "text"]) == exit_code
    printed = capsys.readouterr()
    assert says in printed.out + printed.err


@pytest.mark.parametrize(
    ("name", "exit_code", "says"),
    [
        ("compile", 0, "no models: a model is a query in `models/SCHEMA/NAME.sql`"),
        ("list", 1, "the project has no models"),
        ("status", 1, "the project has no models"),
        ("plan", 0, "nothing to do"),
    ],
)
def test_an_empty_project_says_what_a_model_is(
    name: str, exit_code: int, says: str, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("models", "seeds", "tests"):
        shutil.rmtree(shop / folder)
    assert run_command(name, ["--output", "text"]) == exit_code
    printed = capsys.readouterr()
    assert says in printed.out + printed.err


def test_what_ran_can_be_asked_while_the_project_has_errors(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shop / "models" / "staging" / "orders.sql").write_text("SELECT (")
    assert run_command("history", ["--output", "text"]) == 0
    assert capsys.readouterr().out == "nothing has run yet\n"


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ("equal equal", "2 of 2 tables equal a recompute"),
        ("equal different", "1 of 2 tables equal a recompute, 1 different"),
        ("equal absent absent", "1 of 1 tables equal a recompute; 2 not built yet"),
        ("unverifiable", "0 of 1 tables equal a recompute, 1 unverifiable"),
    ],
)
def test_what_is_not_there_is_neither_equal_nor_different(verdicts: str, words: str) -> None:
    made = {
        "equal": ModelVerdict(model="m", status="equal"),
        "different": ModelVerdict(model="m", status="different"),
        "unverifiable": ModelVerdict(model="m", status="unverifiable"),
        "absent": ModelVerdict(model="m", status="unverifiable", is_built=False),
    }
    assert verify_closing(tuple(made[word] for word in verdicts.split())) == words


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (CheckSettings(type="not_null", column=ColumnName("a")), "not_null a"),
        (CheckSettings(type="unique", columns=(ColumnName("a"), ColumnName("b"))), "unique a, b  [within each batch]"),
        (CheckSettings(type="row_count", min=1, max=2000), "row_count at least 1 at most 2,000"),
        (
            CheckSettings(type="expression", expression="a > 0", where="b = 1", name="positive", max_failed_rows=2),
            "expression a > 0 where b = 1  [named positive; 2 rows may fail]",
        ),
        (
            CheckSettings(type="unique", column=ColumnName("a"), scope="table", severity="warn"),
            "unique a  [over the whole table; only warns]",
        ),
    ],
)
def test_a_check_is_explained_with_all_it_demands(check: CheckSettings, words: str) -> None:
    assert check_words(check) == words
