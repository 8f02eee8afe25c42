"""Every rule matters: without it, a recorded schedule ends in a wrong table or does not end."""

import pytest
from tests.simulation import recorded
from tests.simulation.explore import error_of, error_within
from tests.simulation.mutants.every import MUTANTS
from tests.simulation.mutants.mutant import Mutant


@pytest.mark.simulation
@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_missing_rule_is_noticed(mutant: Mutant) -> None:
    schedule = recorded.load(f"mutants/{mutant.name}")
    assert error_of(schedule) == ""
    with mutant.applied():
        assert error_within(schedule, seconds=30), f"nothing notices that this rule is gone: {mutant.rule}"


def test_every_recorded_mutant_is_known() -> None:
    names = {path.stem for path in (recorded.FOLDER / "mutants").glob("*.json")}
    assert names == {mutant.name for mutant in MUTANTS}
    assert len(names) >= 12
