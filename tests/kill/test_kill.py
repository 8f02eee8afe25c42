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


def _assert_whole(shop: Shop) -> None:
    assert shop.run() == 0
    assert shop.revenue() == shop.expected_revenue()
    assert set(shop.verify().values()) == {"equal"}
    assert shop.run() == 0
