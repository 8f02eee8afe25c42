"""I6: how time is cut into runs and runs into batches does not show in the tables."""

from collections import Counter
from random import Random

import pytest
from tests.simulation.actions import Action, Forget, Pass, Restore, Run
from tests.simulation.algebra import Row
from tests.simulation.model_actions import Release, Restart
from tests.simulation.project import HISTORIES, KEPT
from tests.simulation.schedule import Schedule, random_schedule
from tests.simulation.simulate import simulate
from tests.simulation.table_actions import Meddle

SEEDS = range(12)
# Runs are set by the cut; what is built and no longer due stays as it was when a run last saw it.
_UNEVEN = (Run, Forget, Restore, Meddle, Restart, Release)


@pytest.mark.simulation
@pytest.mark.parametrize("seed", SEEDS)
def test_i6_two_cuts_end_in_the_same_tables(seed: int) -> None:
    schedule = random_schedule(seed)
    # A merge, a snapshot or `keep` keeps what it once saw, so what it holds depends on when it looked.
    pure = tuple(design for design in schedule.project.designs if not _is_historic(schedule, design.name))
    if not pure:
        pytest.skip("only historic models")
    project = schedule.project.replace(designs=pure)
    happenings = tuple(item for item in schedule.actions if not isinstance(item, _UNEVEN))
    happenings = tuple(item for item in happenings if not (isinstance(item, Pass) and item.hours < 0))
    often = _tables(Schedule(project.rebatched(1), _with_runs(happenings, Random(seed))))
    once = _tables(Schedule(project.rebatched(4), happenings))
    assert often == once


def _with_runs(happenings: tuple[Action, ...], random: Random) -> tuple[Action, ...]:
    return tuple(item for happening in happenings for item in (happening, *(Run(),) * (random.random() < 0.6)))


def _is_historic(schedule: Schedule, name: str) -> bool:
    design = next((item for item in schedule.project.designs if item.name == name), None)
    if design is None:
        return False
    is_kept = design.template in ("merged", "renamed", "replaced", *KEPT, *HISTORIES)
    return is_kept or any(_is_historic(schedule, item) for item in design.inputs)


def _tables(schedule: Schedule) -> dict[str, Counter[Row]]:
    return simulate(schedule).tables
