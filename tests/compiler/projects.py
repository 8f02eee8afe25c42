"""Projects to compile in tests: in a folder, or written by hand without any file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from lamina.api.compiling import compile_scan, schema_reader
from lamina.compiler.cache import NOTHING
from lamina.compiler.compile import compile_models
from lamina.compiler.graph import Graph
from lamina.compiler.objects import compile_objects
from lamina.config import CatalogConfig
from lamina.project.model import ModelFile, ModelSettings, SettingPlaces
from lamina.project.project import Project, Variable
from lamina.project.read import read_project
from lamina.project.scan import scan_project
from lamina.project.source import SourceSchema, SourceTable
from lamina.project.strategy import Ephemeral, Strategy
from lamina.values.names import ColumnName, ModelName, SourceName
from lamina.values.schema import Column, DataType

CORPUS = Path(__file__).parents[1] / "fixtures" / "corpus"


def no_catalog() -> CatalogConfig:
    """Return the settings of a catalog that is not there."""
    return CatalogConfig(name="lake", database="", warehouse="")


def load_project(root: str, variables: Mapping[str, str]) -> Project:
    """Read the project in a folder."""
    return read_project(scan_project(root), variables)


def compile_project(project: Project, *, source_schema: SourceSchema | None = None) -> Graph:
    """Compile a project without any memory."""
    known = source_schema or schema_reader(project.root, no_catalog)
    return compile_models(project, NOTHING, source_schema=known, run=compile_objects).graph


def compile_root(root: str, variables: Mapping[str, str], *, source_schema: SourceSchema | None = None) -> Graph:
    """Compile the project in a folder, redoing only what changed since the last time."""
    known = source_schema or schema_reader(root, no_catalog)
    return compile_scan(scan_project(root), variables, source_schema=known)


def source(name: str, columns: str) -> SourceTable:
    """Return a source table; columns as `id bigint, amount decimal(10,2)`, none for an unknown schema."""
    fields = [item.strip().partition(" ") for item in columns.split(", ") if item]
    return SourceTable(
        name=SourceName(name),
        type="files",
        location=name,
        columns=tuple(Column(name=ColumnName(field), type=DataType(kind)) for field, _, kind in fields),
    )


def model(name: str, text: str, *, strategy: Strategy | None = None, **settings: object) -> ModelFile:
    """Return a model as written."""
    chosen = ModelSettings().replace(**settings)
    return ModelFile(
        name=ModelName(name),
        kind="sql",
        path=f"models/{name.replace('.', '/')}.sql",
        text=text,
        settings=chosen if strategy is None else chosen.replace(strategy=strategy),
        places=SettingPlaces(file=f"models/{name.replace('.', '/')}.toml"),
    )


def ephemeral(name: str, text: str) -> ModelFile:
    """Return an ephemeral model."""
    return model(name, text, strategy=Ephemeral())


def project(*parts: ModelFile | SourceTable | Variable) -> Project:
    """Return a project of these parts."""
    models = sorted((part for part in parts if isinstance(part, ModelFile)), key=lambda item: item.name)
    return Project(
        name="shop",
        root="",
        default_schema="main",
        models=tuple(models),
        sources=tuple(part for part in parts if isinstance(part, SourceTable)),
        variables=tuple(part for part in parts if isinstance(part, Variable)),
    )


def graph_of(*parts: ModelFile | SourceTable | Variable) -> Graph:
    """Compile a project of these parts."""
    return compile_project(project(*parts), source_schema=lambda _: None)


def corpus_tables(folder: str) -> Mapping[str, Mapping[str, str]]:
    """Return the tables that the queries of a corpus folder read: column to type."""
    return tomllib.loads((CORPUS / folder / "tables.toml").read_text())


def corpus_graph(folder: str) -> Graph:
    """Compile every query of a corpus folder."""
    tables = [
        source(
            f"{folder}.{name}",
            ", ".join(f"{column} {kind.removesuffix(' not null')}" for column, kind in columns.items()),
        )
        for name, columns in corpus_tables(folder).items()
    ]
    queries = sorted((CORPUS / folder).glob("*.sql"))
    return graph_of(*tables, *(model(f"{folder}.{path.stem}", path.read_text()) for path in queries))
