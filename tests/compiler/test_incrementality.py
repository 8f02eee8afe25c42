"""Every accepted query has a proof, every refused one names its clause; a new case is a new file."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import sqlglot

from lamina.compiler.query.operators import QueryShape, SelectBlock
from lamina.compiler.slices.incrementality import judge
from lamina.compiler.slices.shape import shape_of
from lamina.compiler.slices.verdict import InputFacts, Proven, Refused, Verdict
from lamina.project.strategy import Strategy
from lamina.strategies.driver import find_driver
from lamina.strategies.table import traits_of
from lamina.values.codec import from_json, to_json
from lamina.values.duration import parse_duration
from lamina.values.names import ColumnName, TableName

CASES = Path(__file__).parent.parent / "fixtures" / "incrementality"
OWN = "sales.balance"  # the model itself
TABLES = {
    "raw.orders": ("order_ts", "order_id customer_id amount status order_ts order_date"),
    "raw.payments": ("pay_date", "order_id paid pay_date"),
    "sales.customers": (None, "customer_id name"),
    "sales.calendar": (None, "day label"),
    OWN: ("order_date", "order_date updated_at balance"),
}
DATES = frozenset({ColumnName("order_date"), ColumnName("pay_date"), ColumnName("day")})

PRESENT = frozenset({ColumnName("order_date"), ColumnName("order_ts")})


def facts(shape: QueryShape, declared: dict[str, Any]) -> dict[str, InputFacts]:
    """Return the facts of the tables a shape reads."""
    selects = [block for block in shape.blocks if isinstance(block, SelectBlock)]
    names = sorted({item.table for block in selects for item in block.relations if item.table})
    return {name: table_facts(name, declared.get(name, {})) for name in names}


def table_facts(name: str, settings: dict[str, str]) -> InputFacts:
    """Return the facts of one table."""
    time_column, columns = TABLES[name]
    before, after = (parse_duration(settings.get(key, "")) for key in ("window", "window_after"))
    return InputFacts(
        name=TableName(name),
        time_column=ColumnName(time_column) if time_column else None,
        columns=tuple(ColumnName(column) for column in columns.split()),
        dates=DATES,
        present=PRESENT,
        window=(before or 0) * 1_000_000 if before is not None or after is not None else None,
        window_after=(after or 0) * 1_000_000,
        keeps=settings.get("on_touch") == "keep",
        is_past=name == OWN,
    )


def verdict_of(case: dict[str, Any]) -> Verdict:
    """Judge the query of one file."""
    shape = shape_of(sqlglot.parse_one(case["sql"], dialect="spark"))
    assert from_json(to_json(shape), QueryShape) == shape
    strategy: Strategy = from_json(to_json(case["strategy"]), Strategy)  # type: ignore[arg-type]  # a union
    inputs = facts(shape, case.get("inputs", {}))
    traits = traits_of(strategy)
    driver = find_driver(
        traits.driver, [item.name for item in inputs.values()], names={name: TableName(name) for name in inputs}
    )
    inputs = {name: item.replace(is_driver=item.name == driver) for name, item in inputs.items()}
    is_dated = ColumnName(case["strategy"].get("time_column", "")) in DATES
    return judge(traits, shape, inputs=inputs, zone=case.get("zone", "UTC"), is_dated=is_dated)


def cases(kind: str) -> list[Any]:
    """Return the cases of a folder."""
    return [
        pytest.param(tomllib.loads(path.read_text()), id=path.stem) for path in sorted((CASES / kind).glob("*.toml"))
    ]


@pytest.mark.parametrize("case", cases("accepted"))
def test_accepted_query_has_a_proof(case: dict[str, Any]) -> None:
    verdict = verdict_of(case)
    assert isinstance(verdict, Proven), verdict
    assert any(case["step"] in step for step in verdict.steps), verdict.steps


@pytest.mark.parametrize("case", cases("refused"))
def test_refused_query_names_its_clause(case: dict[str, Any]) -> None:
    verdict = verdict_of(case)
    assert isinstance(verdict, Refused), verdict
    assert case["code"] in {item.code for item in verdict.refusals}, verdict.refusals
    assert all(item.message and item.hint for item in verdict.refusals)
    if "message" in case:
        assert any(case["message"] in item.message for item in verdict.refusals), verdict.refusals


def test_there_are_enough_cases() -> None:
    assert len(cases("accepted")) >= 30
    assert len(cases("refused")) >= 30
