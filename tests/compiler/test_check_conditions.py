"""Conditions of checks: what Spark cannot run is found while compiling, what it can is left alone."""

import pytest
from tests.compiler.conditions import ACCEPTED, REFUSED
from tests.compiler.projects import graph_of, model, source

from lamina.project.model import CheckSettings
from lamina.values.diagnostic import Diagnostic


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
