"""Every place where a run can be made to die is passed by some simulated run."""

import pytest
from tests.simulation.schedule import random_schedule
from tests.simulation.simulate import simulate

from lamina.executor.failpoint import NAMES, armed

# Checks fail in few random schedules; from here on one of them comes early.
FIRST_SEED = 2000


@pytest.mark.simulation
def test_every_failpoint_is_reached() -> None:
    passed: set[str] = set()
    seed = FIRST_SEED
    with armed(passed.add):
        while passed != set(NAMES) and seed < FIRST_SEED + 200:
            simulate(random_schedule(seed))
            seed += 1
    assert passed == set(NAMES)
