"""Kill real runs again and again, at failpoints and at random times, and record what came of it.

python -m tests.campaigns.kill --kills 200
"""

import argparse
import json
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from random import Random, SystemRandom

from tests.kill.server import ConnectServer
from tests.kill.shop import Shop

from lamina.executor.failpoint import NAMES

RESULTS = Path(__file__).parent / "results" / "kills.json"
KILLED = -9
BETWEEN_PROOFS = 5


def main() -> int:
    """Run the campaign and return 1 if a table was ever wrong."""
    arguments = argparse.ArgumentParser(description="Kill real runs and prove the tables whole")
    arguments.add_argument("--kills", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=SystemRandom().randrange(1_000_000))
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = ConnectServer(Path(folder))
        try:
            result = campaign(Path(folder), server.address, kills=chosen.kills, seed=chosen.seed)
        finally:
            server.stop()
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))
    return 1 if result["wrong"] else 0


def campaign(folder: Path, remote: str, *, kills: int, seed: int) -> dict[str, object]:
    """Kill runs of one project, prove its tables every few kills, and count."""
    random = Random(seed)
    shop = Shop(folder / "shop", remote=remote, seed=seed)
    assert shop.run() == 0
    shop.change_orders()
    started = time.monotonic()
    assert shop.run() == 0
    usual = time.monotonic() - started
    by_place: dict[str, int] = {}
    proofs, wrong, done = 0, [], 0
    while done < kills:
        shop.change_orders()
        place = random.choice((*NAMES, "random time", "random time", "random time"))
        code = shop.run_and_kill(random.random() * usual) if place == "random time" else shop.run(failpoint=place)
        if code != KILLED:
            continue  # the run ended before it came there
        done += 1
        by_place[place] = by_place.get(place, 0) + 1
        if done % BETWEEN_PROOFS == 0 or done == kills:
            proofs += 1
            if shop.run() != 0 or shop.revenue() != shop.expected_revenue() or set(shop.verify().values()) != {"equal"}:
                wrong.append(done)
                print(f"wrong after kill {done} (seed {seed})", file=sys.stderr)
    return {
        "finished": f"{datetime.now(UTC):%Y-%m-%d}",
        "seed": seed,
        "kills": done,
        "by_place": dict(sorted(by_place.items())),
        "proofs": proofs,
        "wrong": wrong,
    }


if __name__ == "__main__":
    sys.exit(main())
