"""`compile` beside the version that was last run: what breaks readers outside, and only where something changed."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import lamina
from lamina.api.compiling import text_of
from lamina.api.custody import open_state
from lamina.api.opened import Opened
from lamina.project.cache_file import compiler_version
from lamina.state.port import Origin
from lamina.values.names import EnvironmentName, RunId

ORDERS = "models/sales/orders.sql"
MODELS = {
    ORDERS: "SELECT CAST(1 AS BIGINT) AS id, 'EUR' AS currency, 2 AS amount",
    "models/sales/totals.sql": "SELECT amount FROM orders",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Write a project."""
    for path, text in {"lamina.toml": '[project]\nname = "shop"\n', **MODELS}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def promote(root: Path, *, compiler: str | None = None) -> None:
    """Record a project as last run, as a run that built everything does."""
    opened = Opened(str(root), variables={}, overrides={}, emit=lambda _: None)
    origin = Origin(compiler or compiler_version(), text_of(opened.scan, {}))
    with closing(open_state(opened.config)) as store:
        lease = store.take_lease(
            EnvironmentName(opened.config.environment),
            RunId("run-1"),
            process="here",
            now=datetime.now(UTC),
            ttl=timedelta(minutes=1),
            above=0,
        )
        store.promote(opened.graph, lease, waiting=frozenset(), origin=origin)
        store.release_lease(lease)


def found(root: Path) -> list[tuple[str, str]]:
    report = lamina.open(str(root)).compile()
    return [(item.code, item.severity) for item in report.diagnostics]


def test_a_project_that_was_never_run_or_did_not_change_has_no_findings(shop: Path) -> None:
    assert found(shop) == []
    assert not (shop / ".lamina" / "lamina.db").exists()
    promote(shop)
    assert found(shop) == []


def test_a_removed_column_is_found_until_the_change_is_run(shop: Path) -> None:
    promote(shop)
    (shop / ORDERS).write_text("SELECT CAST(1 AS BIGINT) AS id, 2 AS amount")
    assert found(shop) == [("L435", "warning")]
    promote(shop)
    assert found(shop) == []


def test_an_allowed_code_is_information(shop: Path) -> None:
    promote(shop)
    (shop / ORDERS).write_text("SELECT CAST(1 AS BIGINT) AS id, 2 AS amount")
    (shop / ORDERS).with_suffix(".toml").write_text('allow = ["L435"]\n')
    assert found(shop) == [("L435", "info")]


def test_new_columns_and_formatting_break_nobody(shop: Path) -> None:
    promote(shop)
    (shop / ORDERS).write_text("SELECT CAST(1 AS bigint) AS id,\n  'EUR' AS currency, 2 AS amount, 3 AS more")
    assert found(shop) == []


def test_what_another_compiler_wrote_is_not_compared(shop: Path) -> None:
    promote(shop, compiler="other")
    (shop / ORDERS).write_text("SELECT CAST(1 AS BIGINT) AS id, 2 AS amount")
    assert found(shop) == []


def test_a_state_that_cannot_be_read_is_no_fault_of_the_project(shop: Path) -> None:
    promote(shop)
    (shop / ORDERS).write_text("SELECT CAST(1 AS BIGINT) AS id, 2 AS amount")
    for file in (shop / ".lamina").glob("lamina.db*"):
        file.write_bytes(b"no database at all" * 100)
    assert found(shop) == []
