"""A failure that a check caused is planned again in the run that builds the table it looks into."""

import pytest
from tests.planner.making import day, facts, graph, model

from lamina.planner.failures import conditions_of
from lamina.planner.plan import build_plan
from lamina.values.facts import Facts, Failure, ModelFacts
from lamina.values.interval import WHOLE
from lamina.values.names import EnvironmentName, ModelName, Position, RunId, TableName
from lamina.values.plan import Build, Rebuild, Selection

PEOPLE = model("sales.people")
ORDERS = model("sales.orders", layer=1).replace(looked_up={"people": TableName("sales.people")})
FAILED = facts(status="absent").replace(looked_up={TableName("sales.people"): Position("1")})
FAILURE = Failure(
    model=ORDERS.name,
    interval=WHOLE,
    fingerprint=ORDERS.fingerprint,
    pins={},
    kind="data_rejected",
    message="`sales.orders`: 1 check failed",
    attempts=1,
    first_seen=day(1),
    run_id=RunId("run-1"),
    conditions=conditions_of(ORDERS, FAILED, day(1)),
    tried_at=day(1),
    next_try=day(4),
)


@pytest.mark.parametrize(
    ("people", "planned"),
    [
        (facts(status="absent"), {"sales.people", "sales.orders"}),
        (None, set()),
    ],
)
def test_it_is_planned_where_the_other_table_is(people: ModelFacts | None, planned: set[str]) -> None:
    known = {ModelName("sales.orders"): FAILED.replace(failures=(FAILURE,))}
    known |= {ModelName("sales.people"): people} if people is not None else {}
    models = (PEOPLE, ORDERS)
    selection = Selection() if people is not None else Selection(models=(ORDERS.name,))
    seen = Facts(execution_time=day(2), heads={}, models=known)
    plan = build_plan(graph(*models), seen, environment=EnvironmentName("prod"), selection=selection)
    assert {action.model for action in plan.actions if isinstance(action, Build | Rebuild)} == planned
