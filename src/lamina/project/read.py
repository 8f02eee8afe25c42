"""Read a whole project from a scan: models with their settings, sources, seeds, and every problem of every file."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from lamina.project.decode import NAME
from lamina.project.model import ModelFile, ModelSettings, SettingPlaces
from lamina.project.project import ModuleFile, Project
from lamina.project.project_file import ProjectFile, load_project_file
from lamina.project.python_file import python_problems
from lamina.project.rules import (
    case_clash,
    conflicting_keys,
    duplicate_model,
    duplicate_source,
    invalid_name,
    orphan_sidecar,
    shared_name,
)
from lamina.project.scan import Scan, ScannedFile
from lamina.project.seed import seed_columns
from lamina.project.sidecar import Defaults, Sidecar, read_defaults, read_sidecar
from lamina.project.source import SourceTable
from lamina.project.source_file import read_source_file
from lamina.project.strategy import Ephemeral, FullRefresh, View
from lamina.values.diagnostic import Diagnostic, Place, sort_diagnostics
from lamina.values.names import ModelName, folded
from lamina.values.nearest import nearest

DEFAULTS_FILE = "_defaults.toml"
MOST_COMPARED = 200  # names a misspelt one is compared with
REGISTERS_FUNCTION = re.compile(r"\.register\w*\(|\bcreate\b.*\bfunction\b", re.IGNORECASE)
KINDS: dict[str, Literal["sql", "python", "seed"]] = {".sql": "sql", ".py": "python", ".csv": "seed"}


def read_project(scan: Scan, variables: Mapping[str, str]) -> Project:
    """Read everything of a project; its problems are collected, never raised."""
    files = {file.path: file for file in scan.files}
    found = list(scan.diagnostics)
    project_file = load_project_file(scan, variables)
    found.extend(project_file.diagnostics)
    sources = list(_sources(scan, variables, found))
    models = list(_models(files, project_file.default_schema, variables, found))
    models.sort(key=lambda model: (model.name, model.path))
    found.extend(_name_problems(models, sources))
    found.extend(_orphans(files))
    return Project(
        name=project_file.name,
        root=scan.root,
        default_schema=project_file.default_schema,
        models=tuple(model for model in models if model.settings.enabled),
        sources=tuple(sorted(sources, key=lambda table: table.name)),
        variables=project_file.variables,
        disabled=tuple(model.name for model in models if not model.settings.enabled),
        modules=tuple(ModuleFile(path=file.path, text=file.text()) for file in scan.files if is_module(file.path)),
        diagnostics=sort_diagnostics(found),
        adds_functions=_adds_functions(project_file, models),
    )


def _adds_functions(project_file: ProjectFile, models: Iterable[ModelFile]) -> bool:
    """Return whether queries may call functions that are not Spark's own."""
    spark = project_file.sections.get("spark", {})
    if "remote" in spark or "spark.sql.extensions" in spark.get("conf", {}):
        return True
    return any(model.kind == "python" and REGISTERS_FUNCTION.search(model.text) for model in models)


def is_module(path: str) -> bool:
    """Return whether a Python file is a module that models import, not a model: outside `models`, or named `_...`."""
    return path.endswith(".py") and (not path.startswith("models/") or path.rpartition("/")[2].startswith("_"))


def is_model(path: str) -> bool:
    """Return whether a file is the text of a model or seed."""
    folder = path.partition("/")[0]
    if folder == "models":
        return path.endswith((".sql", ".py")) and not is_module(path)
    return folder == "seeds" and path.endswith(".csv")


def model_name(path: str, *, default_schema: str) -> ModelName:
    """Return the name a path gives its model: the first folder below `models` is the schema.

    >>> model_name("models/sales/eu/orders.sql", default_schema="main")
    'sales.orders'
    """
    folders = path.split("/")[1:-1]
    schema = folders[0] if folders and path.startswith("models/") else default_schema
    return ModelName(f"{schema}.{path.rpartition('/')[2].rpartition('.')[0]}")


def _sources(scan: Scan, variables: Mapping[str, str], found: list[Diagnostic]) -> Iterator[SourceTable]:
    declared: dict[str, str] = {}
    for file in scan.files:
        if not file.path.startswith("sources/"):
            continue
        read = read_source_file(file.path, file.text(), root=scan.root, variables=variables)
        found.extend(read.diagnostics)
        doubles = {name for name in read.names if declared.setdefault(folded(name), file.path) != file.path}
        for name in sorted(doubles):
            place = read.places.of(f"source.{name}")
            found.append(duplicate_source.finding(name, place=place, other=declared[folded(name)]))
        yield from (table for table in read.tables if table.name.partition(".")[0] not in doubles)


class FolderDefaults:
    """Own the defaults of each folder of models, read once when first requested."""

    def __init__(self, files: Mapping[str, ScannedFile], variables: Mapping[str, str]) -> None:
        self._files = files
        self._variables = variables
        self._read: dict[str, Defaults] = {}

    def of(self, folder: str) -> Defaults:
        """Return the defaults that apply to the models of a folder."""
        if folder in self._read:
            return self._read[folder]
        above = self.of(folder.rpartition("/")[0]) if "/" in folder else Defaults()
        file = self._files.get(f"{folder}/{DEFAULTS_FILE}")
        defaults = Defaults(settings=above.settings)
        if file is not None:
            defaults = read_defaults(file.path, file.text(), above=above, variables=self._variables)
        self._read[folder] = defaults
        return defaults

    def diagnostics(self) -> Iterator[Diagnostic]:
        """Yield what is wrong in any defaults file, also where no model needed it."""
        for path in self._files:
            if path.startswith("models/") and path.endswith("/" + DEFAULTS_FILE):
                yield from self.of(path.rpartition("/")[0]).diagnostics


def _models(
    files: Mapping[str, ScannedFile], default_schema: str, variables: Mapping[str, str], found: list[Diagnostic]
) -> Iterator[ModelFile]:
    defaults = FolderDefaults(files, variables)
    made: dict[ModelName, str] = {}
    for path, file in files.items():
        if not is_model(path):
            continue
        stem, dot, suffix = path.rpartition(".")
        beside = files.get(f"{stem}.toml")
        sidecar = read_sidecar(
            beside.path if beside else path,
            beside.text() if beside else "",
            defaults=defaults.of(path.rpartition("/")[0]),
            variables=variables,
        )
        name = model_name(path, default_schema=default_schema)
        other = made.setdefault(name, path)
        if other != path:
            found.append(duplicate_model.finding(name, path=path, other=other))
            continue
        found.extend(sidecar.diagnostics)
        yield _model(file, name, kind=KINDS[dot + suffix], sidecar=sidecar, found=found)
    found.extend(defaults.diagnostics())


def _model(
    file: ScannedFile,
    name: ModelName,
    *,
    kind: Literal["sql", "python", "seed"],
    sidecar: Sidecar,
    found: list[Diagnostic],
) -> ModelFile:
    schema, _, table = name.partition(".")
    for part, what in ((schema, "schema"), (table, "model")):
        if not NAME.fullmatch(part):
            found.append(invalid_name.finding(part[:60], place=Place(file=file.path), what=what))
    text, settings = file.text(), sidecar.settings
    found.extend(_unfitting_strategy(kind, settings, sidecar.places))
    if kind == "python":
        found.extend(python_problems(file.path, text))
    if kind == "seed":
        columns, problems = seed_columns(file.path, text, declared=settings.columns)
        found.extend(problems)
        settings = settings.replace(columns=columns)
    return ModelFile(name=name, kind=kind, path=file.path, text=text, settings=settings, places=sidecar.places)


def _unfitting_strategy(kind: str, settings: ModelSettings, places: SettingPlaces) -> Iterator[Diagnostic]:
    """Yield a strategy that only a query can have."""
    is_seed = kind == "seed" and not isinstance(settings.strategy, FullRefresh)
    if is_seed or (kind == "python" and isinstance(settings.strategy, Ephemeral | View)):
        message = "a seed is always replaced whole" if is_seed else "a Python model cannot be inlined in a query"
        yield conflicting_keys.finding(message, place=places.of("strategy.type"), hint="use `full_refresh`")


def _name_problems(models: list[ModelFile], sources: list[SourceTable]) -> Iterator[Diagnostic]:
    """Yield names that mean two things; names are compared without case, as Spark does."""
    tables = {folded(table.name): table for table in sources}
    seen: dict[str, ModelName] = {}
    for model in models:
        name = folded(model.name)
        other = seen.setdefault(name, model.name)
        if other != model.name:
            yield case_clash.finding(model.name, place=Place(file=model.path), other=other)
        if name in tables:
            source = tables[name]
            where = source.places.of(f"source.{source.name}") if source.places else None
            yield shared_name.finding(model.name, path=model.path, source=where)


def _orphans(files: Mapping[str, ScannedFile]) -> Iterator[Diagnostic]:
    """Yield settings files without a model beside them, with the nearest file of a model that has none."""
    stems = {path.rpartition(".")[0] for path in files if is_model(path)}
    bare: dict[str, list[str]] = {}
    for stem in sorted(stems):
        folder, _, name = stem.rpartition("/")
        if f"{stem}.toml" not in files:
            bare.setdefault(folder, []).append(name)
    for path in files:
        folder, _, file = path.rpartition("/")
        if not path.startswith(("models/", "seeds/")) or not path.endswith(".toml"):
            continue
        if path.removesuffix(".toml") in stems or (file == DEFAULTS_FILE and path.startswith("models/")):
            continue
        near = nearest(file.removesuffix(".toml"), bare.get(folder, ())[:MOST_COMPARED])
        yield orphan_sidecar.finding(path, nearest=f"{near}.toml" if near is not None else None)
