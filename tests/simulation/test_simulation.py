"""Random schedules through the real planner, executor and state store, against the recompute oracle."""

import os
from random import SystemRandom

import pytest
from tests.simulation import recorded
from tests.simulation.explore import explore
from tests.simulation.simulate import simulate

SECONDS = float(os.environ.get("LAMINA_SIMULATION_SECONDS", "20"))
SEED = int(os.environ.get("LAMINA_SIMULATION_SEED", SystemRandom().randrange(10**9)))


@pytest.mark.simulation
@pytest.mark.parametrize("name", recorded.names())
def test_recorded_schedule_passes(name: str) -> None:
    simulate(recorded.load(name))


@pytest.mark.simulation
def test_i1_i4_random_schedules_end_in_a_recompute(capsys: pytest.CaptureFixture[str]) -> None:
    explored = explore(SEED, seconds=SECONDS)
    with capsys.disabled():
        print(f"\nsimulation: seed {explored.seed}, {explored.schedules} schedules in {explored.seconds:.0f} s")
    assert explored.failed is None, str(explored.failed)
    assert explored.schedules > 0
