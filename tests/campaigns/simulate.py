"""A long simulation: `python -m tests.campaigns.simulate --seconds 600`; prints one JSON document."""

import argparse
import json
import sys
from random import SystemRandom

from tests.simulation import recorded
from tests.simulation.explore import explore


def main() -> int:
    """Explore schedules until the time is over or one fails; a failing one is recorded on request."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**9))
    parser.add_argument("--schedules", type=int, default=None, help="stop after so many")
    parser.add_argument("--record", metavar="NAME", help="keep a failing schedule under this name")
    arguments = parser.parse_args()
    explored = explore(arguments.seed, seconds=arguments.seconds, limit=arguments.schedules)
    failed = explored.failed
    if failed is not None and arguments.record:
        recorded.save(arguments.record, failed.schedule)
    document = {
        "campaign": "simulate",
        "seed": explored.seed,
        "schedules": explored.schedules,
        "seconds": round(explored.seconds, 1),
        "status": "passed" if failed is None else "failed",
        "failure": None if failed is None else str(failed),
    }
    print(json.dumps(document, indent=2))
    return 0 if failed is None else 1


if __name__ == "__main__":
    sys.exit(main())
