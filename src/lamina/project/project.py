"""A project as read: settings, models, sources, variables, and everything wrong with its files."""

from lamina.project.model import ModelFile
from lamina.project.source import SourceTable
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import ModelName
from lamina.values.schema import DataType
from lamina.values.value import Value


class Variable(Value, frozen=True):
    """A declared `[vars]` entry: a typed parameter of queries."""

    name: str
    type: DataType
    value: str


class ModuleFile(Value, frozen=True):
    """A Python file that models may import; it is not a model itself."""

    path: str
    text: str


class Project(Value, frozen=True):
    """All of a project's own text, sorted by name; reading it runs none of it."""

    name: str
    root: str
    default_schema: str
    models: tuple[ModelFile, ...]
    sources: tuple[SourceTable, ...]
    variables: tuple[Variable, ...]
    disabled: tuple[ModelName, ...] = ()  # models with `enabled = false`; they are not in `models`
    modules: tuple[ModuleFile, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    adds_functions: bool = False  # Spark may know more functions than its own
