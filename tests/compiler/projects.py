"""Small projects written by hand, compiled without any file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from lamina.api.compiling import compile_project
from lamina.compiler.graph import Graph
from lamina.project.model import ModelFile, ModelSettings, SettingPlaces
from lamina.project.project import Project, Variable
from lamina.project.source import SourceTable
from lamina.project.strategy import Ephemeral, Strategy
from lamina.values.names import ColumnName, ModelName, SourceName
from lamina.values.schema import Column, DataType

CORPUS = Path(__file__).parents[1] / "fixtures" / "corpus"


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
