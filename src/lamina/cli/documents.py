"""The JSON document of each command, field by field: what `--output json` prints and `schemas/` describes."""

from typing import Any, get_type_hints

from lamina.api.rulebook import RulePage
from lamina.api.starter import StartedProject
from lamina.compiler.lineage import Point, Reached
from lamina.compiler.report import CompileReport, Explanation, ListedModel
from lamina.config import Setting
from lamina.planner.preview import Rendered
from lamina.values.change import ModelChange
from lamina.values.codec import json_schemas
from lamina.values.custody import StateCheck, StateRebuild, StateRelocation
from lamina.values.diagnostic import Diagnostic
from lamina.values.plan import Plan
from lamina.values.result import (
    DropResult,
    IntervalsResult,
    QueryResult,
    RunLine,
    RunResult,
    StatusResult,
    VerifyResult,
)
from lamina.values.value import Value

HEADER: dict[str, Any] = {"version": str, "command": str, "status": str, "exit_code": int}


def _fields(kind: type[Value]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {name: hints[name] for name in kind.__struct_fields__ if name not in HEADER}


DOCUMENTS: dict[str, dict[str, Any]] = {
    "accept": {"model": str},
    "apply": _fields(RunResult),
    "compile": _fields(CompileReport),
    "completions": {"shell": str, "script": str},
    "config": {"project": str, "root": str, "settings": tuple[Setting, ...]},
    "drop": _fields(DropResult),
    "explain": _fields(Explanation),
    "history": {"runs": tuple[RunLine, ...]},
    "init": _fields(StartedProject),
    "intervals": _fields(IntervalsResult),
    "lineage": {"of": Point, "upstream": tuple[Reached, ...], "downstream": tuple[Reached, ...]},
    "list": {"models": tuple[ListedModel, ...]},
    "plan": {**_fields(Plan), "changes": tuple[ModelChange, ...], "diagnostics": tuple[Diagnostic, ...]},
    "query": _fields(QueryResult),
    "render": _fields(Rendered),
    "retry": _fields(RunResult),
    "rule": {"rules": tuple[RulePage, ...]},
    "run": _fields(RunResult),
    "run-info": _fields(RunResult),
    "show": _fields(QueryResult),
    "state check": _fields(StateCheck),
    "state rebuild": _fields(StateRebuild),
    "state relocate": _fields(StateRelocation),
    "status": _fields(StatusResult),
    "verify": _fields(VerifyResult),
}


def schema_of(command: str) -> dict[str, Any]:
    """Return the JSON Schema of a command's document: the answer, or the diagnostics that prevent it."""
    fields = {**HEADER, **DOCUMENTS[command]}
    schemas, definitions = json_schemas({**fields, "diagnostics": tuple[Diagnostic, ...]})
    if "Interval" in definitions:
        definitions["Interval"] = _open_ended(definitions["Interval"])
    header = {name: schemas[name] for name in HEADER} | {"command": {"const": command}}
    answer = {**header, **{name: schemas[name] for name in fields if name not in HEADER}}
    failure = {**header, "diagnostics": schemas["diagnostics"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"lamina {command} --output json",
        "anyOf": [_object(answer), _object(failure)],
        "$defs": definitions,
    }


def _open_ended(interval: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a range that has no bound, null, where a whole table has none."""
    bounds = {name: {"anyOf": [bound, {"type": "null"}]} for name, bound in interval["properties"].items()}
    return {**interval, "properties": bounds}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}
