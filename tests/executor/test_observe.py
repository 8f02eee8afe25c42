"""The world as a run sees it."""

from tests.planner.making import days, facts

from lamina.executor.observe import World
from lamina.values.facts import Facts
from lamina.values.names import ModelName

A, GONE = ModelName("sales.a"), ModelName("sales.gone")


def test_what_is_asked_for_joins_what_state_knows_of() -> None:
    known = Facts(execution_time=days(9).start, heads={}, models={A: facts().replace(requests=(days(1, 2),))})
    world = World(facts=known, records={}, new_touches=(), recovered=(), detections=(), highest_token=0)

    asking = world.asking({A: (days(2, 3),), GONE: (days(1),)})

    assert asking.facts.models[A].requests == (days(1, 3),)
    assert set(asking.facts.models) == {A}
    assert world.facts.models[A].requests == (days(1, 2),)
