"""Read `lamina.toml`: the project's name, its variables, and its settings as written, section by section."""

from collections.abc import Mapping
from typing import Any

from lamina.project.column_keys import data_type
from lamina.project.decode import (
    INVALID,
    NAME,
    Decoder,
    Findings,
    choice,
    decode_table,
    flag,
    homes_of,
    integer,
    name,
    spark_conf,
    table,
    text,
    texts,
)
from lamina.project.model import SettingPlaces
from lamina.project.project import Variable
from lamina.project.rules import (
    conflicting_keys,
    invalid_name,
    invalid_variable,
    later_feature,
    missing_key,
    missing_project_file,
)
from lamina.project.scan import PROJECT_FILE, Scan
from lamina.project.toml import read_toml
from lamina.project.typed_text import is_value
from lamina.values.diagnostic import Diagnostic
from lamina.values.value import Value


def concurrency(value: Any, key: str, findings: Findings) -> Any:
    """Decode a number of steps at a time, or `auto`: twice the cores, at most `max_concurrency`."""
    if value == "adaptive":
        return findings.add(later_feature.finding('`concurrency = "adaptive"`', place=findings.places.of(key)))
    return "auto" if value == "auto" else integer(1, 1000)(value, key, findings)


def environments(value: Any, key: str, findings: Findings) -> Any:
    """Decode the environments; only production exists in this version."""
    if not isinstance(value, dict):
        return findings.wrong_type(key, expected="a table", value=value)
    for environment in value:
        if environment != "prod":
            place = findings.places.of(f"{key}.{environment}")
            findings.add(later_feature.finding(f"environment `{environment}`", place=place))
    apply = choice("auto", later=("reviewed",))
    production = value.get("prod", {})
    later = frozenset(["defer_to", "expires_after"])
    return table({"apply": apply}, later=later)(production, f"{key}.prod", findings)


def variables_table(value: Any, key: str, findings: Findings) -> Any:
    """Decode `[vars]`: each a type and a value as text."""
    if not isinstance(value, dict):
        return findings.wrong_type(key, expected="a table", value=value)
    found = []
    for variable, settings in sorted(value.items()):
        path = f"{key}.{variable}"
        if not NAME.fullmatch(variable) or variable in PARAMETERS:
            findings.add(invalid_name.finding(variable[:60], place=findings.places.of(path), what="variable"))
        elif (declared := _variable(variable, settings, path, findings)) is not INVALID:
            found.append(declared)
    return tuple(found)


PARAMETERS = ("start_date", "end_date", "start_ts", "end_ts", "execution_time", "as_of", "run_id")
SECTIONS: dict[str, dict[str, Decoder]] = {
    "project": {
        "name": name("project"),
        "default_environment": choice("prod", later=("dev",)),
        "default_schema": name("schema"),
    },
    "spark": {"master": text, "remote": text, "conf": spark_conf, "jars": texts},
    "catalog": {
        "name": name("catalog"),
        "type": choice("sql", later=("rest", "hive", "glue", "custom")),
        "uri": text,
        "warehouse": text,
        "format": choice("iceberg", later=("delta",)),
    },
    "state": {"uri": text, "on_missing": choice("rebuild", "stop")},
    "run": {
        "concurrency": concurrency,
        "max_concurrency": integer(1, 1000),
        "retries": integer(0, 100),
        "fail_fast": flag,
        "rebuild_limit": integer(0, 1_000_000),
    },
}
LATER_RUN_KEYS = frozenset(
    [
        *("retry_budget", "cooldown", "circuit_breaker", "step_timeout"),
        *("wait_interval", "wait_max", "idempotency_timeout"),
    ]
)
KEYS: dict[str, Decoder] = {
    **{section: table(keys) for section, keys in SECTIONS.items() if section != "run"},
    "run": table(SECTIONS["run"], later=LATER_RUN_KEYS),
    "environments": environments,
    "vars": variables_table,
}
LATER_KEYS = frozenset(["janitor", "hook", "pipeline"])


HOMES = homes_of({f"`[{section}]`": keys for section, keys in SECTIONS.items()})


class ProjectFile(Value, frozen=True):
    """The settings of `lamina.toml` as written: section to key to value."""

    name: str
    default_schema: str
    variables: tuple[Variable, ...]
    sections: dict[str, dict[str, Any]]
    places: SettingPlaces
    diagnostics: tuple[Diagnostic, ...] = ()


def load_project_file(scan: Scan, variables: Mapping[str, str]) -> ProjectFile:
    """Return the settings of `lamina.toml`; without one, the defaults and the finding."""
    file = next((file for file in scan.files if file.path == PROJECT_FILE), None)
    if file is not None:
        return read_project_file(file.text(), variables=variables)
    is_unread = any(item.place and item.place.file == PROJECT_FILE for item in scan.diagnostics)
    return ProjectFile(
        name="unnamed",
        default_schema="main",
        variables=(),
        sections={},
        places=SettingPlaces(file=PROJECT_FILE),
        diagnostics=() if is_unread else (missing_project_file.finding(scan.root),),
    )


def read_project_file(content: str, *, variables: Mapping[str, str]) -> ProjectFile:
    """Read the project file."""
    document = read_toml("lamina.toml", content, variables=variables)
    findings = Findings(document.places, HOMES)
    decoded = decode_table(document.data, KEYS, at="", findings=findings, later=LATER_KEYS)
    project = decoded.get("project", {})
    is_parsed = bool(document.data) or not document.diagnostics
    if is_parsed and not document.places.has("project.name"):
        place = document.places.of("project")
        findings.add(missing_key.finding("name", place=place, needed_by="`[project]`"))
    spark = decoded.get("spark", {})
    if "master" in spark and "remote" in spark:
        message = "`remote` is set in place of `master`, not beside it"
        place = document.places.of("spark.remote")
        findings.add(conflicting_keys.finding(message, place=place, hint="remove one of them"))
    return ProjectFile(
        name=project.get("name", "unnamed"),
        default_schema=project.get("default_schema", "main"),
        variables=decoded.get("vars", ()),
        sections={section: decoded[section] for section in SECTIONS if section in decoded},
        places=document.places,
        diagnostics=(*document.diagnostics, *findings.found),
    )


def _variable(variable: str, settings: Any, path: str, findings: Findings) -> Any:
    if not isinstance(settings, dict):
        return findings.wrong_type(path, expected="a table with `type` and `value`", value=settings)
    decoded = decode_table(settings, {"type": data_type, "value": _scalar}, at=path, findings=findings)
    for key in ("type", "value"):
        if key not in settings:
            place = findings.places.of(path)
            return findings.add(missing_key.finding(key, place=place, needed_by=f"variable `{variable}`"))
    if len(decoded) < 2:
        return INVALID
    kind, value = decoded["type"], decoded["value"]
    if not is_value(value, kind):
        place = findings.places.of(f"{path}.value")
        findings.add(invalid_variable.finding(variable, place=place, kind=kind, value=value[:60]))
    return Variable(name=variable, type=kind, value=value)


def _scalar(value: Any, key: str, findings: Findings) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    return findings.wrong_type(key, expected="text or a number", value=value)
