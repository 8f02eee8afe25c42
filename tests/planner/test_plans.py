"""Facts and the plan they give, one file per case in `tests/fixtures/plans`."""

import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.planner.making import built, graph, head, model, touch, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.failures import conditions_of
from lamina.planner.plan import build_plan
from lamina.project.model import ModelSettings
from lamina.values.codec import from_json, to_json
from lamina.values.coverage import Coverage, Debt
from lamina.values.facts import Facts, Failure, ModelFacts, TargetFacts
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import EnvironmentName, ModelName, Position, RunId, TableName
from lamina.values.plan import Action, Block, Build, Plan, Rename, Selection, Skip
from lamina.values.touch import Touch

CASES = sorted((Path(__file__).parent.parent / "fixtures" / "plans").glob("*.toml"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_plan(path: Path) -> None:
    case = tomllib.loads(path.read_text())
    assert [_line(action) for action in _plan(case).actions] == case["plan"]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_i9_equal_inputs_give_an_equal_plan_id(path: Path) -> None:
    case = tomllib.loads(path.read_text())
    first, second = _plan(case), _plan(case)
    assert first.plan_id == second.plan_id
    assert from_json(to_json(first), Plan) == first


def test_i9_the_execution_time_is_part_of_a_plan() -> None:
    case = tomllib.loads(next(path for path in CASES if path.stem == "nothing_new").read_text())
    later = {**case, "execution_time": case["execution_time"] + timedelta(minutes=5)}
    assert _plan(dict(case)).plan_id == _plan(case).plan_id
    assert _plan(later).plan_id != _plan(case).plan_id


def _plan(case: dict[str, Any]) -> Plan:
    models = tuple(_model(item) for item in case["models"])
    facts = Facts(
        execution_time=case["execution_time"].astimezone(UTC),
        heads={TableName(name): head(position, table=name) for name, position in case.get("heads", {}).items()},
        models={
            ModelName(item["name"]): _facts(item, subject, case["execution_time"])
            for item, subject in zip(case["models"], models, strict=True)
            if "built" in item or "status" in item
        },
        touches=_logs(case.get("touches", [])),
    )
    selection = from_json(to_json(case.get("selection", {})), Selection)
    return build_plan(graph(*models), facts, environment=EnvironmentName("prod"), selection=selection)


def _model(item: dict[str, Any]) -> CompiledModel:
    settings = from_json(to_json({"strategy": item.get("strategy", {"type": "full_refresh"})}), ModelSettings)
    inputs = tuple(use(**{**given, "reads": _names(given.get("reads"))}) for given in item.get("inputs", []))
    keywords: dict[str, Any] = {
        key: _names(value) if isinstance(value, list) else value for key, value in item.get("with", {}).items()
    }
    return model(item["name"], inputs=inputs, strategy=settings.strategy, layer=item.get("layer", 0), **keywords)


def _facts(item: dict[str, Any], subject: CompiledModel, execution_time: datetime) -> ModelFacts:
    by = subject.replace(fingerprint=item.get("built_by", subject.fingerprint))
    coverage = built(by, *(_span(text) for text in item.get("built", [])), positions=item.get("cursors", {}))
    return ModelFacts(
        coverage=_owing(coverage, item).replace(parameters=item.get("parameters", {}), built=item.get("built_at")),
        target=TargetFacts(status=item.get("status", "ours")),
        failures=tuple(_failure(subject, given, execution_time) for given in item.get("failures", [])),
        requests=tuple(_span(text) for text in item.get("requests", [])),
    )


def _owing(coverage: Coverage, item: dict[str, Any]) -> Coverage:
    debts = tuple(Debt(**given) for given in item.get("debts", []))
    return coverage.replace(segments=tuple(segment.replace(debts=debts) for segment in coverage.segments))


def _failure(subject: CompiledModel, given: dict[str, Any], execution_time: datetime) -> Failure:
    return Failure(
        model=subject.name,
        interval=_span(given["interval"]),
        fingerprint=given.get("fingerprint", subject.fingerprint),
        pins={TableName(name): Position(position) for name, position in given.get("pins", {}).items()},
        kind=given.get("kind", "query_rejected"),
        message=given["message"],
        attempts=1,
        first_seen=datetime(2026, 4, 7, tzinfo=UTC),
        run_id=RunId("run-1"),
        conditions=conditions_of(subject, ModelFacts(Coverage(), TargetFacts(status="ours")), execution_time),
        tried_at=datetime(2026, 4, 8, tzinfo=UTC),
        next_try=given.get("next_try", execution_time + timedelta(hours=1)),
    )


def _logs(given: list[dict[str, Any]]) -> dict[TableName, tuple[Touch, ...]]:
    logs: dict[TableName, tuple[Touch, ...]] = {}
    for item in map(dict, given):
        spans = tuple(_span(text) for text in item.pop("ranges", []))
        made = touch(item.pop("position"), item.pop("parent"), *spans, **item)
        logs[made.table] = (*logs.get(made.table, ()), made)
    return logs


def _names(value: list[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)


def _span(text: str) -> Interval:
    if text == "whole":
        return WHOLE
    start, end = (datetime.fromisoformat(part).replace(tzinfo=UTC) for part in text.split("/"))
    return Interval(start, end)


def _line(action: Action) -> str:
    """Render an action on one line, with everything a user sees of it."""
    kind = type(action).__name__.lower()
    if isinstance(action, Skip | Rename):
        return f"{kind} {action.model}: {action.reason}"
    words = [kind, action.model, *(_text(span) for span in action.intervals)]
    if mode := getattr(action, "mode", None):
        words.append(mode)
    if isinstance(action, Build) and action.since is not None:
        words.append(f"since {action.since}")
    if getattr(action, "is_deferred", False):
        words.append("deferred")
    if isinstance(action, Block) and action.blocked_by:
        words.append(f"by {', '.join(action.blocked_by)}")
    return f"{' '.join(words)}: {action.reason}"


def _text(span: Interval) -> str:
    if span == WHOLE:
        return "whole"
    return "/".join(
        f"{bound:%Y-%m-%d}" if (bound.hour, bound.minute) == (0, 0) else f"{bound:%Y-%m-%dT%H:%M}"
        for bound in (span.start, span.end)
    )
