"""A project whose sources are tables of a real PostgreSQL: what a run sees of it, what it builds, when it waits."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.database import PASSWORD, USER, Database
from tests.scenarios.play import Player

from lamina.warehouse.spark.session import Application

pytestmark = pytest.mark.spark

AT = "2026-04-10T00:00:00Z"
WRONG = "not-the-password"
FILES = {
    "lamina.toml": '[project]\nname = "shop"\n',
    "sources/shop.toml": """
[source.shop]
type = "jdbc"
url = "{url}"
user = "{user}"
password = "${{SHOP_PASSWORD}}"
[source.shop.tables.orders]
load_time = "loaded_at"
time_column = "order_ts"
partition_column = "id"
num_partitions = 3
columns = [
    {{ name = "id", type = "int" }},
    {{ name = "order_ts", type = "timestamp" }},
    {{ name = "amount", type = "decimal(10,2)" }},
    {{ name = "loaded_at", type = "timestamp_ntz" }},
]
[source.shop.tables]
rates = "shop.Rates"
[source.raw]
type = "files"
format = "csv"
options = {{ header = "true" }}
[source.raw.tables.people]
path = "data/people"
columns = [{{ name = "id", type = "int" }}]
""",
    "data/people/1.csv": "id\n1\n",
    "models/mart/daily.sql": """
SELECT CAST(order_ts AS DATE) AS day, count(*) AS orders, sum(amount) AS amount FROM shop.orders
WHERE order_ts >= @start_date AND order_ts < @end_date GROUP BY 1
""",
    "models/mart/daily.toml": """
start = "2026-04-06"
[strategy]
type = "time_interval"
time_column = "day"
""",
    "models/mart/loaded.sql": "SELECT id, amount FROM shop.orders",
    "models/mart/loaded.toml": '[strategy]\ntype = "incremental"\ntimestamp_column = "loaded_at"\n',
    "models/mart/rates.sql": "SELECT currency, rate FROM shop.rates",
    "models/mart/people.sql": "SELECT id FROM raw.people",
}


@pytest.fixture
def shop(database: Database) -> Database:
    """Return the server with two tables: one with a load time, one with a name in capitals and nothing to watch."""
    database.sql(
        "DROP SCHEMA IF EXISTS shop CASCADE",
        "DROP TABLE IF EXISTS orders",
        "CREATE SCHEMA shop",
        "CREATE TABLE orders (id int, order_ts timestamptz, amount numeric(10, 2), loaded_at timestamp, note text)",
        'CREATE TABLE shop."Rates" (currency text, rate numeric(8, 4))',
        "INSERT INTO orders VALUES (1, '2026-04-06 23:59:59.999999Z', 10, '2026-04-07 01:00:00.000001')",
        "INSERT INTO orders VALUES (2, '2026-04-07 00:00:00Z', 20, '2026-04-07 01:00:00.000002')",
        "INSERT INTO shop.\"Rates\" VALUES ('SEK', 11.25)",
    )
    return database


class Shop:
    """The project over the server, run by the command line."""

    def __init__(self, player: Player, database: Database) -> None:
        self.player = player
        self.printed: list[str] = []
        files = {
            path: text.format(url=database.url, user=USER) if "{url}" in text else text for path, text in FILES.items()
        }
        player.write(files)

    def do(self, line: str = "run", *, exits: int = 0) -> dict[str, Any]:
        """Run a command and return its document."""
        code, document = self.player.command(line, AT)
        self.printed.append(str(document))
        assert code == exits, document
        return document

    def run(self, *, exits: int = 0) -> dict[str, dict[str, Any]]:
        """Run everything and return what happened to each model that was not skipped."""
        steps = self.do("run", exits=exits)["materializations"]
        return {item["model"]: item for item in steps if item["status"] != "skipped"}

    def verdicts(self, *, exits: int = 0) -> dict[str, str]:
        """Verify everything."""
        return {
            item["model"]: f"{item['status']} {item['reason']}" for item in self.do("verify", exits=exits)["models"]
        }

    def rows(self, name: str) -> list[str]:
        """Return the rows of a table."""
        return self.player.query(f"SELECT * FROM lake.{name}")


def test_a_database_is_read_by_its_load_time(
    application: Application, shop: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)
    project = Shop(Player(tmp_path, application, monkeypatch), shop)

    # The first build reads everything.
    assert set(project.run()) == {"mart.daily", "mart.loaded", "mart.people", "mart.rates"}
    assert project.rows("mart.daily") == ["2026-04-06|1|10.00", "2026-04-07|1|20.00"]
    assert project.rows("mart.loaded") == ["1|10.00", "2|20.00"]
    assert project.rows("mart.rates") == ["SEK|11.2500"]
    assert set(project.verdicts().values()) == {"equal "}

    # Where nothing says whether rows changed, the reader is built again, and nobody else.
    again = project.run()
    assert list(again) == ["mart.rates"]
    assert "no `load_time` is declared" in again["mart.rates"]["reason"]

    # Rows with a later load time: one slice, and an append of the new rows alone.
    shop.sql(
        "INSERT INTO orders VALUES (3, '2026-04-07 12:00Z', 30, '2026-04-08 01:00'), (4, NULL, 1, '2026-04-08 01:00')"
    )
    built = project.run()
    assert built["mart.daily"]["intervals"] == [{"start": "2026-04-07T00:00:00Z", "end": "2026-04-08T00:00:00Z"}]
    assert "2 rows added to `shop.orders`" in built["mart.loaded"]["reason"]
    assert built["mart.loaded"]["rows_inserted"] == 2
    assert project.rows("mart.daily") == ["2026-04-06|1|10.00", "2026-04-07|2|50.00"]
    assert project.rows("mart.loaded") == ["1|10.00", "2|20.00", "3|30.00", "4|1.00"]

    # A plan holds what it saw; what comes before it is applied belongs to the next run.
    shop.sql("INSERT INTO orders VALUES (5, NULL, 1, '2026-04-08 02:00')")
    planned = project.do("plan")["plan_id"]
    shop.sql("INSERT INTO orders VALUES (6, '2026-04-08 12:00Z', 60, '2026-04-08 03:00')")
    project.do(f"apply {planned}")
    assert project.rows("mart.loaded")[-1] == "5|1.00"
    project.run()
    assert project.rows("mart.loaded")[-1] == "6|60.00"

    # A row with the very load time that was the last one is neither lost nor doubled.
    shop.sql("INSERT INTO orders VALUES (7, '2026-04-08 13:00Z', 70, '2026-04-08 03:00')")
    tied = project.run()
    assert "1 row came with the same `loaded_at`" in tied["mart.loaded"]["reason"]
    assert tied["mart.daily"]["intervals"] == [{"start": "2026-04-08T00:00:00Z", "end": "2026-04-09T00:00:00Z"}]
    assert project.rows("mart.loaded")[4:] == ["5|1.00", "6|60.00", "7|70.00"]
    assert project.rows("mart.daily") == ["2026-04-06|1|10.00", "2026-04-07|2|50.00", "2026-04-08|2|130.00"]

    # A transaction that commits late: its row has an earlier load time than others that were read.
    shop.sql("INSERT INTO orders VALUES (8, '2026-04-06 13:00Z', 80, '2026-04-07 02:00')")
    before = project.verdicts()
    assert "are not as many as when they were counted" in before["mart.loaded"]
    assert before["mart.loaded"].startswith("unverifiable")
    late = project.run()
    assert "1 row came with an earlier `loaded_at`" in late["mart.loaded"]["reason"]
    assert project.rows("mart.daily") == ["2026-04-06|2|90.00", "2026-04-07|2|50.00", "2026-04-08|2|130.00"]
    assert len(project.rows("mart.loaded")) == 8
    assert set(project.verdicts().values()) == {"equal "}

    # What a reader of rates was built from cannot be read again once the table changed.
    shop.sql('UPDATE shop."Rates" SET rate = 12')
    moved = project.verdicts()["mart.rates"]
    assert moved.startswith("unverifiable")
    assert "it may have changed since it was read" in moved

    _refused(project, shop, monkeypatch)
    assert project.rows("mart.rates") == ["SEK|12.0000"]
    assert set(project.verdicts().values()) == {"equal "}
    _emptied(project, shop)

    kept = [path for path in tmp_path.rglob("*") if path.is_file() and PASSWORD.encode() in path.read_bytes()]
    assert kept == []
    assert not any(secret in text for text in project.printed for secret in (PASSWORD, WRONG))


def _refused(project: Shop, shop: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is wrong with the database blocks its readers and nobody else."""
    shop.stop()
    project.player.write({"data/people/2.csv": "id\n2\n"})
    away = project.do("run", exits=2)
    reasons = {item["model"]: item["reason"] for item in away["materializations"]}
    assert project.rows("mart.people") == ["1", "2"]
    assert reasons.pop("mart.people") == "`raw.people`: 1 file added"
    assert all(reason.startswith("L654: ") for reason in reasons.values()), reasons
    assert {item["code"] for item in away["diagnostics"]} == {"L654"}
    assert "cannot be reached" in away["diagnostics"][0]["message"]

    shop.start()
    monkeypatch.setenv("SHOP_PASSWORD", WRONG)
    refused = project.do("run", exits=1)
    assert "refused user `reader`" in refused["diagnostics"][0]["message"]
    assert refused["diagnostics"][0]["hint"] == "check `user`, and the value of `SHOP_PASSWORD`"

    monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)
    assert list(project.run()) == ["mart.rates"]


def _emptied(project: Shop, shop: Database) -> None:
    """A table that is emptied does not empty its readers."""
    shop.sql("DELETE FROM orders", 'DELETE FROM shop."Rates"')
    emptied = project.do("run", exits=1)
    assert {item["code"] for item in emptied["diagnostics"]} == {"L520"}
    assert len(project.rows("mart.loaded")) == 8
    assert project.rows("mart.rates") == ["SEK|12.0000"]
    project.do("run --accept-empty")
    assert project.rows("mart.loaded") == project.rows("mart.rates") == []


def test_the_example_of_a_database_runs(
    application: Application, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(__file__).parents[2] / "examples" / "database"
    for name, value in (("URL", database.url), ("USER", USER), ("PASSWORD", PASSWORD)):
        monkeypatch.setenv(f"SHOP_{name}", value)
    database.sql("DROP TABLE IF EXISTS orders, rates", (folder / "shop.sql").read_text())
    player = Player(tmp_path / "shop", application, monkeypatch)
    shutil.copytree(folder, player.folder)

    assert player.command("run", AT)[0] == 0
    assert player.query("SELECT day, currency, orders FROM lake.sales.daily") == [
        "2026-04-06|EUR|1",
        "2026-04-06|SEK|1",
        "2026-04-07|EUR|1",
    ]
    assert player.query("SELECT * FROM lake.sales.in_euro") == ["1|9.00", "2|20.00", "3|5.50"]
    assert player.command("verify", AT)[0] == 0
