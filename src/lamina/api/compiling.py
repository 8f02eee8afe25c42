"""Load and compile a project from its folder, remembering the last time: wiring of reader, cache and compiler."""

import functools
import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lamina.api.compile_cache import CompileCache, open_cache, write_cache
from lamina.compiler.cache import NOTHING, Compilation, Memory
from lamina.compiler.graph import Graph
from lamina.project.cache_file import code_version
from lamina.project.keys import keys_of
from lamina.project.project import Project
from lamina.project.scan import scan_project
from lamina.project.source import SourceSchema, SourceTable
from lamina.values.names import TableName
from lamina.values.schema import Schema


def load_project(root: str, environment_variables: Mapping[str, str]) -> Project:
    """Read the project at `root`; what is wrong with its files is inside."""
    from lamina.project.read import read_project

    return read_project(scan_project(os.fspath(root)), environment_variables)


def compile_project(project: Project, *, source_schema: SourceSchema | None = None) -> Graph:
    """Compile a project to its graph; what is wrong with its queries is inside."""
    return _compile(project, NOTHING, source_schema or _schema_reader(project.root, {})).graph


def compile_root(
    root: str, environment_variables: Mapping[str, str], *, source_schema: SourceSchema | None = None
) -> Graph:
    """Load and compile the project at `root`, redoing only what changed since the last time."""
    with _without_collecting():
        scan = scan_project(os.fspath(root))
        known = source_schema or _schema_reader(scan.root, environment_variables)
        version = code_version()
        keys = keys_of(scan, environment_variables)
        cache = open_cache(scan.root, version)
        if cache is not None and cache.frame_key == keys.frame:
            has_same_sources = all(known(table) == schema for table, schema in cache.undeclared)
            if has_same_sources and cache.project_key == keys.project:
                return cache.graph()
            project = cache.project({file.path: file.text() for file in scan.files if file.path.endswith(".sql")})
            if has_same_sources and (made := _recompile(project, cache)) is not None:
                cache.add(made, keys.project)
                return made.graph
        else:
            from lamina.project.read import read_project

            project = read_project(scan, environment_variables)
        gc.enable()  # broken queries leave cyclic trees behind; of a whole project these may be many
        made = _compile(project, cache.memory if cache is not None else NOTHING, known)
        write_cache(scan.root, project, made, keys=keys, version=version)
        return made.graph


def _compile(project: Project, memory: Memory, source_schema: SourceSchema) -> Compilation:
    # Imported here: an unchanged project is answered from the cache without the parser.
    from lamina.api.parallel import compile_in_parallel
    from lamina.compiler.compile import compile_models

    return compile_models(project, memory, source_schema=source_schema, run=compile_in_parallel)


def _recompile(project: Project, cache: CompileCache) -> Compilation | None:
    from lamina.api.parallel import compile_in_parallel
    from lamina.compiler.recompile import recompile

    return recompile(project, cache.memory, cache.head, run=compile_in_parallel)


def _schema_reader(root: str, variables: Mapping[str, str]) -> SourceSchema:
    """Return what looks up the columns of sources; the catalog is opened only if one of its tables is requested."""
    pointers = functools.cache(functools.partial(_pointers, root, variables))

    def read(table: SourceTable) -> Schema | None:
        from lamina.warehouse.schemas import KnownSchema
        from lamina.warehouse.sources.kinds import source_schema

        answer = source_schema(table, Path(root), pointers=pointers)
        return answer.columns if isinstance(answer, KnownSchema) else None

    return read


def _pointers(root: str, variables: Mapping[str, str]) -> Mapping[TableName, str]:
    from lamina.config import build_config
    from lamina.project.read import load_project_file
    from lamina.warehouse.catalog.jdbc import JdbcCatalog
    from lamina.warehouse.catalog.sqlite import read_pointers

    file = load_project_file(scan_project(root), variables)
    config, _ = build_config(root, file, variables=variables, overrides={})
    return read_pointers(Path(config.catalog.database), JdbcCatalog(config.catalog.name))


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Keep the garbage collector out of decoding: it would look at hundreds of thousands of new values in vain."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
