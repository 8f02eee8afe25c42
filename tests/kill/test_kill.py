"""I1, with the real process and real Spark: a run killed anywhere loses nothing and doubles nothing."""

import shutil
import time
from collections.abc import Iterator
from random import Random, SystemRandom

import pytest
from tests.kill.server import ConnectServer
from tests.kill.shop import Shop

pytestmark = pytest.mark.kill

KILLED = -9

# Each is a run that dies there; later ones meet what earlier ones left behind.
FAILPOINTS = (
    ("lease.after", "recover.after", "plan.after", "intent.after", "stage.after", "stage.after@2"),
    ("fold.after", "prepare.after", "publish.after", "check.after@2", "finish.before"),
    ("diff.after", "diff.after"),
)
RANDOM_KILLS = 4


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    """Yield a warm Spark that outlives the runs."""
    server = ConnectServer(tmp_path_factory.mktemp("connect"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def shop(server: ConnectServer, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Return a project that has been built once."""
    seed = SystemRandom().randrange(1_000_000)
    print(f"seed of the killed shop: {seed}")
    shop = Shop(tmp_path_factory.mktemp("killed") / "shop", remote=server.address, seed=seed)
    assert shop.run() == 0
    return shop


@pytest.mark.parametrize("points", FAILPOINTS, ids=lambda points: points[0])
def test_i1_a_run_killed_at_a_failpoint_loses_and_doubles_nothing(shop: Shop, points: tuple[str, ...]) -> None:
    for point in points:
        shop.change_orders()
        assert shop.run(failpoint=point) == KILLED, f"the run never came to {point}"
    _assert_whole(shop)


def test_i1_a_run_killed_at_any_time_loses_and_doubles_nothing(shop: Shop) -> None:
    random = Random()
    shop.change_orders()
    started = time.monotonic()
    assert shop.run() == 0
    usual = time.monotonic() - started
    for _ in range(RANDOM_KILLS):
        shop.change_orders()
        shop.run_and_kill(random.uniform(0.2, 1.0) * usual)
    _assert_whole(shop)


def test_i3_state_and_catalog_lost_after_a_kill_lose_and_double_nothing(shop: Shop) -> None:
    for point in ("prepare.after", "publish.after", "prepare.after@2"):
        shop.change_orders()
        assert shop.run(failpoint=point) == KILLED, f"the run never came to {point}"
        for file in (shop.folder / ".lamina").glob("lamina.db*"):
            file.unlink()
        if point == "publish.after":
            shutil.rmtree(shop.folder / ".lamina" / "backup")
    _assert_whole(shop)


def test_a_retry_that_is_killed_is_not_forgotten(shop: Shop) -> None:
    assert shop.run() == 0
    day = min(shop.expected_revenue())  # runs before may have taken any day away
    settings = shop.folder / "models" / "sales" / "daily_revenue.toml"
    before = settings.read_text()
    settings.write_text(f"{before}\n[[checks]]\ntype = 'expression'\nexpression = 'orders < 0'\n")
    asked = ("-s", "daily_revenue", "--partition", day)
    assert shop.command("run", *asked) == (1, {})
    settings.write_text(before)

    assert shop.command("retry", "daily_revenue", failpoint="stage.after") == (KILLED, {})

    code, built = shop.command("run")
    assert (code, list(built)) == (0, ["sales.daily_revenue"])
    reason = built["sales.daily_revenue"]
    assert reason.startswith(f"requested: {day}; failed at ")
    assert reason.endswith("; the same rows as before, nothing written")
    assert shop.command("run") == (0, {})


def test_a_run_that_is_killed_around_a_rename_builds_nothing_again(shop: Shop) -> None:
    assert shop.run() == 0
    settings = shop.folder / "models" / "sales" / "daily_revenue.toml"
    before = settings.read_text()
    for point, alias in (("plan.after", "revenue_by_day"), ("rename.after", "revenue_of_days")):
        settings.write_text(f'alias = "{alias}"\n{before}')
        assert shop.run(failpoint=point) == KILLED, f"the run never came to {point}"
        assert shop.command("run") == (0, {})
        assert shop.revenue() == shop.expected_revenue()
    settings.write_text(before)
    assert shop.command("run") == (0, {})
    _assert_whole(shop)


def test_a_run_that_is_killed_around_a_new_name_of_a_model_builds_nothing_again(shop: Shop) -> None:
    assert shop.run() == 0
    folder, name = shop.folder / "models" / "sales", "country_revenue"
    plain = (folder / f"{name}.toml").read_text()
    for point in ("plan.after", "mark_again.after", "rename.after", None):
        now = "country_revenue" if point is None else f"revenue_{point.partition('.')[0]}"
        (folder / f"{name}.sql").rename(folder / f"{now}.sql")
        (folder / f"{name}.toml").unlink()
        (folder / f"{now}.toml").write_text(f'renamed_from = "sales.{name}"\n{plain}')
        if point is not None:
            assert shop.run(failpoint=point) == KILLED, f"the run never came to {point}"
        assert shop.command("run") == (0, {})
        name = now
    (folder / f"{name}.toml").write_text(plain)
    _assert_whole(shop)


def test_i2_a_run_that_is_killed_between_a_table_and_its_quarantine_leaves_both_whole(shop: Shop) -> None:
    settings = shop.folder / "models" / "sales" / "daily_revenue.toml"
    before = settings.read_text()
    check = "[[checks]]\nname = 'few'\ntype = 'expression'\nexpression = 'orders < 4'\non_failure = 'quarantine'\n"
    settings.write_text(f"{before}\n{check}")
    assert shop.run() == 0
    for point in ("beside.after", "publish.after"):
        shop.change_orders()
        assert shop.run(failpoint=point) == KILLED, f"the run never came to {point}"
        assert shop.run() == 0
        table, beside = shop.revenue(), shop.revenue("daily_revenue__quarantine")
        assert not table.keys() & beside.keys()
        assert {**table, **beside} == shop.expected_revenue()
    settings.write_text(before)
    _assert_whole(shop)


def _assert_whole(shop: Shop) -> None:
    assert shop.run() == 0
    assert shop.revenue() == shop.expected_revenue()
    assert set(shop.verify().values()) == {"equal"}
    assert shop.run() == 0
