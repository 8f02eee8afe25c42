"""The JSON document of each command, field by field: what `--output json` prints and `schemas/` describes."""

from importlib import import_module
from typing import Any, get_type_hints

from lamina.cli.answer import Document
from lamina.cli.commands import module_of
from lamina.values.codec import json_schemas
from lamina.values.diagnostic import Diagnostic
from lamina.values.value import Value

HEADER: dict[str, Any] = {"version": str, "command": str, "status": str, "exit_code": int}


def document_of(command: str) -> dict[str, Any]:
    """Return the type of each field of a command's document by name."""
    own: Document = import_module(module_of(command)).document()
    return {**HEADER, **(own if isinstance(own, dict) else fields_of(own))}


def fields_of(kind: type[Value]) -> dict[str, Any]:
    """Return the type of each field of a value by name, except for what all documents have."""
    hints = get_type_hints(kind)
    return {name: hints[name] for name in kind.__struct_fields__ if name not in HEADER}


def schema_of(command: str) -> dict[str, Any]:
    """Return the JSON Schema of a command's document: the answer, or the diagnostics that prevent it."""
    fields = document_of(command)
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
