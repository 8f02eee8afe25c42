"""Conditions of checks: what Spark cannot run is found while compiling, what it can is left alone."""

import pytest
from tests.compiler.projects import graph_of, model, source

from lamina.project.model import CheckSettings
from lamina.values.diagnostic import Diagnostic

REFUSED = {
    "amount >": "L259",
    "amount > 0, id": "L259",
    "amount > 0 AS good": "L259",
    "amount > 0 -- cents": "L259",
    "amount > 0) FROM other WHERE (true": "L259",
    "": "L259",
    "amount": "L259",
    "day": "L259",
    "array(id)": "L259",
    "sum(amount) > 0": "L259",
    "some(amount > 0)": "L259",
    "row_number() OVER (ORDER BY id) > 0": "L259",
    "amount > @start_date": "L259",
    "amount > :limit": "L259",
    "amout > 0": "L255",
    "id IN (1, 2) AND upper(nmae) = 'A'": "L255",
    "lenght(name) > 0": "L217",
}
ACCEPTED = [
    "amount > 0",
    "AMOUNT > 0 AND `id` IS NOT NULL",
    "name",
    "NULL",
    "detail.size > 0",
    "exists(array(id), item -> item > 0)",
    "CASE WHEN amount > 0 THEN id > 0 END",
    "id IN (SELECT explode(array(1, 2)))",
    "amount > 0) AND (id > 0",
    "day <= current_date",
]


def findings(*, expression: str, where: str | None = None) -> list[Diagnostic]:
    """Return what is found in a model with one check."""
    made = model(
        "main.orders",
        "SELECT id, name, amount, day, detail FROM raw.orders",
        checks=(CheckSettings(type="expression", name="positive", expression=expression, where=where),),
    )
    columns = "id bigint, name string, amount double, day date, detail struct<size:int>"
    found = graph_of(source("raw.orders", columns), made).diagnostics
    return [item for item in found if item.severity == "error"]


@pytest.mark.parametrize(("condition", "code"), REFUSED.items())
def test_a_condition_that_cannot_run_is_found(condition: str, code: str) -> None:
    assert [item.code for item in findings(expression=condition)] == [code]
    assert [item.code for item in findings(expression="true", where=condition)] == [code]


@pytest.mark.parametrize("condition", ACCEPTED)
def test_a_condition_that_runs_is_left_alone(condition: str) -> None:
    assert findings(expression=condition, where=condition) == []


def test_a_misspelt_column_offers_the_nearest_one() -> None:
    (found,) = findings(expression="amout > 0")
    assert found.message == "`expression` of check `positive` names `amout`, which is not a column of `main.orders`"
    assert found.suggestion == "amount"


def test_syntax_is_checked_where_columns_are_not_known() -> None:
    bad = model("main.orders", "SELECT * FROM raw.orders", checks=(CheckSettings(type="expression", expression="a >"),))
    good = bad.replace(
        settings=bad.settings.replace(checks=(CheckSettings(type="expression", expression="anything > 0"),))
    )
    assert "L259" in {item.code for item in graph_of(source("raw.orders", ""), bad).diagnostics}
    assert {"L255", "L259"}.isdisjoint(item.code for item in graph_of(source("raw.orders", ""), good).diagnostics)
