"""The verbs of lamina as functions: wiring only, each takes values and returns the value its command prints."""

import os
from collections.abc import Mapping

from lamina.compiler.compile import SourceSchema, link_project
from lamina.compiler.graph import Graph
from lamina.compiler.objects import compile_objects, task_of
from lamina.compiler.resolve import names_of
from lamina.project.project import Project
from lamina.project.read import read_project
from lamina.project.scan import scan_project


def load_project(root: str, environment_variables: Mapping[str, str]) -> Project:
    """Read the project at `root`; what is wrong with its files is inside."""
    return read_project(scan_project(os.fspath(root)), environment_variables)


def compile_project(project: Project, *, source_schema: SourceSchema | None = None) -> Graph:
    """Compile a project to its graph; what is wrong with its queries is inside."""
    names = names_of(project)
    tasks = {model.name: task_of(model) for model in project.models if model.kind == "sql"}
    made = compile_objects(tasks.values(), names)
    objects = {name: made[task.key] for name, task in tasks.items()}
    return link_project(project, objects, source_schema=source_schema or (lambda _: None))
