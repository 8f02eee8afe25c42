"""Compile the files of a project, remembering the last time: wiring of reader, cache and compiler."""

import functools
import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.api.compile_cache import CompileCache, open_cache, write_cache
from lamina.compiler.cache import NOTHING, Compilation, Memory
from lamina.compiler.graph import Graph
from lamina.project.cache_file import code_version
from lamina.project.keys import keys_of, used_variables
from lamina.project.project import Project
from lamina.project.scan import Scan, ScannedFile
from lamina.project.source import SourceSchema, SourceTable
from lamina.values.codec import content_hash
from lamina.values.names import TableName
from lamina.values.project_text import ProjectText, TextFile, project_text
from lamina.values.schema import Schema
from lamina.values.secret import Secret, hidden

if TYPE_CHECKING:
    from lamina.config import CatalogConfig

_NOT_COMPILED = ("tests/",)


def compile_scan(scan: Scan, variables: Mapping[str, str], *, source_schema: SourceSchema) -> Graph:
    """Compile the project in some files, redoing only what changed since the last time; what is wrong is inside."""
    with _without_collecting():
        version = code_version()
        keys = keys_of(scan, variables)
        cache = open_cache(scan.root, version)
        if cache is not None and cache.frame_key == keys.frame:
            has_same_sources = all(source_schema(table) == schema for table, schema in cache.undeclared)
            if has_same_sources and cache.project_key == keys.project:
                return cache.graph()
            project = cache.project({file.path: file.text() for file in scan.files if file.path.endswith(".sql")})
            if has_same_sources and (made := _recompile(project, cache)) is not None:
                cache.add(made, keys.project)
                return made.graph
        else:
            from lamina.project.read import read_project

            project = read_project(scan, variables)
        gc.enable()  # broken queries leave cyclic trees behind; of a whole project these may be many
        made = _compile(project, cache.memory if cache is not None else NOTHING, source_schema)
        write_cache(scan.root, project, made, keys=keys, version=version)
        return made.graph


def text_of(scan: Scan, variables: Mapping[str, str], *, secrets: tuple[Secret, ...]) -> ProjectText:
    """Return what a project is compiled from, to be compiled again by a later version; secrets in it are hidden."""
    files = (file for file in scan.files if not file.path.startswith(_NOT_COMPILED))
    return project_text(
        tuple(TextFile(file.path, file.hash, hidden(file.content.decode(), secrets)) for file in files),
        variables=content_hash(used_variables(scan, variables)),
    )


def compile_text(
    text: ProjectText, root: str, variables: Mapping[str, str], *, source_schema: SourceSchema
) -> Graph | None:
    """Compile a kept text; None where variables that it names have other values now, which may be part of it."""
    from lamina.project.read import read_project

    files = tuple(ScannedFile(file.path, file.content.encode(), file.hash) for file in text.files)
    scan = Scan(root=root, files=files)
    if content_hash(used_variables(scan, variables)) != text.variables:
        return None
    return _compile(read_project(scan, variables), NOTHING, source_schema).graph


def _compile(project: Project, memory: Memory, source_schema: SourceSchema) -> Compilation:
    # Imported here: an unchanged project is answered from the cache without the parser.
    from lamina.api.parallel import compile_in_parallel
    from lamina.compiler.compile import compile_models

    return compile_models(project, memory, source_schema=source_schema, run=compile_in_parallel)


def _recompile(project: Project, cache: CompileCache) -> Compilation | None:
    from lamina.api.parallel import compile_in_parallel
    from lamina.compiler.recompile import recompile

    return recompile(project, cache.memory, cache.head, run=compile_in_parallel)


def schema_reader(root: str, catalog: "Callable[[], CatalogConfig]") -> SourceSchema:
    """Return what looks up the columns of sources; the catalog is opened only if one of its tables is requested."""
    pointers = functools.cache(lambda: _pointers(catalog()))

    def read(table: SourceTable) -> Schema | None:
        from lamina.warehouse.schemas import KnownSchema
        from lamina.warehouse.sources.kinds import source_schema

        answer = source_schema(table, Path(root), pointers=pointers)
        return answer.columns if isinstance(answer, KnownSchema) else None

    return read


def _pointers(catalog: "CatalogConfig") -> Mapping[TableName, str]:
    from lamina.warehouse.catalog.jdbc import JdbcCatalog
    from lamina.warehouse.catalog.sqlite import read_pointers

    return read_pointers(Path(catalog.database), JdbcCatalog(catalog.name))


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Keep the garbage collector out of decoding: it would look at hundreds of thousands of new values for nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
