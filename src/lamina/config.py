"""The settings of a project: overrides, `LAMINA_*` variables and `lamina.toml` become one `Config`, read once."""

import os
import re
from collections.abc import Mapping
from typing import Any, Literal

from lamina.project.decode import INVALID, Decoder, Findings, texts
from lamina.project.model import SettingPlaces
from lamina.project.project_file import SECTIONS, ProjectFile
from lamina.project.rules import later_feature
from lamina.project.toml import Substituted
from lamina.values.diagnostic import Diagnostic
from lamina.values.secret import SECRET_KEY, Secret
from lamina.values.value import Value

EMBEDDED = "sqlite:///.lamina/lamina.db"
DEFAULTS: dict[str, Any] = {
    "project.default_environment": "prod",
    "spark.master": "local[*]",
    "spark.remote": None,
    "spark.conf": {},
    "spark.jars": (),
    "catalog.name": "lake",
    "catalog.uri": EMBEDDED,
    "catalog.warehouse": ".lamina/warehouse",
    "state.uri": EMBEDDED,
    "state.on_missing": "rebuild",
    "run.concurrency": "auto",
    "run.max_concurrency": 8,
    "run.retries": 2,
    "run.fail_fast": False,
    "run.rebuild_limit": 400,
}
_SECRET_KEY = re.compile(SECRET_KEY, re.IGNORECASE)


class SparkConfig(Value, frozen=True):
    """How Spark is reached: a master in this process, or a Connect endpoint, which then takes its place."""

    master: str
    remote: str | None
    conf: dict[str, str]
    secret_conf: dict[str, Secret]
    jars: tuple[str, ...]


class CatalogConfig(Value, frozen=True):
    """The Iceberg catalog: its name in Spark, its SQLite file and the folder of its tables, as absolute paths.

    The state is in the same file, so that publish and record are one transaction.
    """

    name: str
    database: str
    warehouse: str


class StateConfig(Value, frozen=True):
    """What to do when the state is lost while the tables are there."""

    on_missing: Literal["rebuild", "stop"]


class RunConfig(Value, frozen=True):
    """How a run works."""

    concurrency: int | Literal["auto"]
    max_concurrency: int
    retries: int
    fail_fast: bool
    rebuild_limit: int


class Setting(Value, frozen=True):
    """One effective setting as it may be shown, and where it came from."""

    key: str
    value: Any
    origin: str


class Config(Value, frozen=True):
    """Every effective setting of one project; `settings` is the same for people."""

    project: str
    root: str
    environment: str
    default_schema: str
    spark: SparkConfig
    catalog: CatalogConfig
    state: StateConfig
    run: RunConfig
    settings: tuple[Setting, ...]

    def without_secrets(self) -> "Config":
        """Return it as it may be kept in a file."""
        return self.replace(spark=self.spark.replace(secret_conf={}), settings=())


def build_config(
    root: str, file: ProjectFile, *, variables: Mapping[str, str], overrides: Mapping[str, str]
) -> tuple[Config, tuple[Diagnostic, ...]]:
    """Choose every setting by override, then variable, then file, then default; problems leave the default."""
    chosen: dict[str, Any] = {}
    origins: dict[str, str] = {}
    problems: list[Diagnostic] = []
    for key, default in DEFAULTS.items():
        value, origin = _choose(key, file, variables=variables, overrides=overrides, problems=problems)
        chosen[key], origins[key] = (default, "default") if value is INVALID else (value, origin)
    if origins["state.uri"] == "default":
        chosen["state.uri"] = chosen["catalog.uri"]
    for key, what in _unsupported(root, chosen).items():
        place = file.places.of(key) if origins[key].startswith("lamina.toml") else None
        problems.append(later_feature.finding(what, place=place))
        chosen[key] = EMBEDDED
    return _assemble(root, file, chosen, origins), tuple(problems)


def variable_of(key: str) -> str:
    """Return the environment variable of a setting.

    >>> variable_of("run.max_concurrency")
    'LAMINA_RUN_MAX_CONCURRENCY'
    """
    return f"LAMINA_{key.upper().replace('.', '_')}"


def _choose(
    key: str,
    file: ProjectFile,
    *,
    variables: Mapping[str, str],
    overrides: Mapping[str, str],
    problems: list[Diagnostic],
) -> tuple[Any, str]:
    for origin, outside in (("override", overrides.get(key)), (variable_of(key), variables.get(variable_of(key)))):
        if outside is not None:
            return _decode(key, outside, origin=origin, problems=problems), origin
    section, _, word = key.partition(".")
    values = file.sections.get(section, {})
    if word in values:
        return values[word], f"lamina.toml:{file.places.of(key).line}"
    return INVALID, "default"


def _decode(key: str, outside: str, *, origin: str, problems: list[Diagnostic]) -> Any:
    """Read a setting from text that is not in a file, with the decoder the file has for it."""
    section, _, word = key.partition(".")
    findings = Findings(SettingPlaces(file=origin))
    decoder: Decoder = SECTIONS[section][word]
    value: Any = outside.split(",") if decoder is texts else Substituted(outside)
    decoded = decoder(value, key, findings)
    hint = f"it is set by `{origin}`" if origin != "override" else "it was given when the project was opened"
    problems.extend(item.at(None).replace(hint=hint) for item in findings.found)
    return decoded


def _unsupported(root: str, chosen: Mapping[str, Any]) -> dict[str, str]:
    """Return the databases this version cannot use, in words."""
    keys = ("catalog.uri", "state.uri")
    found = {key: f"a `{key}` other than `sqlite:///...`" for key in keys if not chosen[key].startswith("sqlite:///")}
    if not found and _database(root, chosen["state.uri"]) != _database(root, chosen["catalog.uri"]):
        found["state.uri"] = "a `state.uri` other than `catalog.uri`"
    return found


def _assemble(root: str, file: ProjectFile, chosen: Mapping[str, Any], origins: Mapping[str, str]) -> Config:
    conf: dict[str, str] = chosen["spark.conf"]
    secrets = {key: Secret(value) for key, value in conf.items() if _SECRET_KEY.search(key)}
    shown = {**chosen, "spark.conf": {key: str(secrets.get(key, value)) for key, value in conf.items()}}
    run = {key.partition(".")[2]: value for key, value in chosen.items() if key.startswith("run.")}
    return Config(
        project=file.name,
        root=root,
        environment=chosen["project.default_environment"],
        default_schema=file.default_schema,
        spark=SparkConfig(
            master=chosen["spark.master"],
            remote=chosen["spark.remote"],
            conf={key: value for key, value in conf.items() if key not in secrets},
            secret_conf=secrets,
            jars=tuple(_absolute(root, jar) for jar in chosen["spark.jars"]),
        ),
        catalog=CatalogConfig(
            name=chosen["catalog.name"],
            database=_database(root, chosen["catalog.uri"]),
            warehouse=_absolute(root, chosen["catalog.warehouse"]),
        ),
        state=StateConfig(on_missing=chosen["state.on_missing"]),
        run=RunConfig(**run),
        settings=tuple(Setting(key=key, value=shown[key], origin=origins[key]) for key in sorted(shown)),
    )


def _database(root: str, uri: str) -> str:
    return _absolute(root, uri.removeprefix("sqlite:///"))


def _absolute(root: str, path: str) -> str:
    return os.path.normpath(os.path.join(root, path))
