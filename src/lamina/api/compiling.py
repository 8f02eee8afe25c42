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
from lamina.project.scan import PROJECT_FILE, Scan, ScannedFile
from lamina.project.source import SourceSchema, SourceTable
from lamina.project.unit_test import FOLDER
from lamina.values.codec import content_hash
from lamina.values.names import TableName
from lamina.values.project_text import ProjectText, TextFile, project_text
from lamina.values.schema import Schema
from lamina.values.secret import without_written

if TYPE_CHECKING:
    from lamina.config import CatalogConfig

BETWEEN_COLLECTIONS = 50_000  # new values that may form cycles; the trees of a few queries have about 10,000


def compile_scan(scan: Scan, variables: Mapping[str, str], *, source_schema: SourceSchema) -> Graph:
    """Compile the project in some files, redoing only what changed since the last time; what is wrong is inside."""
    scan = _compiled(scan)
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
        with _collecting_rarely():
            made = _compile(project, cache.memory if cache is not None else NOTHING, source_schema)
        write_cache(scan.root, project, made, keys=keys, version=version)
        return made.graph


def text_of(scan: Scan, variables: Mapping[str, str]) -> ProjectText:
    """Return what a project is compiled from, to be compiled again by a later version; secrets in it are hidden."""
    scan = _compiled(scan)
    return project_text(
        tuple(TextFile(file.path, file.hash, _kept(file)) for file in scan.files),
        variables=_digest(scan, variables),
    )


def _compiled(scan: Scan) -> Scan:
    """Return what models are compiled from: unit tests are not part of it, so that editing them changes no model."""
    return scan.replace(
        files=tuple(file for file in scan.files if not file.path.startswith(FOLDER)),
        diagnostics=tuple(item for item in scan.diagnostics if not (item.file or "").startswith(FOLDER)),
    )


def _kept(file: ScannedFile) -> str:
    text = file.content.decode()
    return without_written(text) if file.path == PROJECT_FILE else text


def _digest(scan: Scan, variables: Mapping[str, str]) -> str:
    """Return what stands for the values of variables that are compiled: of the project file, those of `[vars]`."""
    from lamina.project.project_file import load_project_file

    others = scan.replace(files=tuple(file for file in scan.files if file.path != PROJECT_FILE))
    return content_hash((load_project_file(scan, variables).variables, used_variables(others, variables)))


def compile_text(
    text: ProjectText, root: str, variables: Mapping[str, str], *, source_schema: SourceSchema
) -> Graph | None:
    """Compile a kept text; None where variables that it names have other values now, which may be part of it."""
    from lamina.project.read import read_project

    files = tuple(ScannedFile(file.path, file.content.encode(), file.hash) for file in text.files)
    scan = Scan(root=root, files=files)
    if _digest(scan, variables) != text.variables:
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
    """Keep the garbage collector out of decoding: it would look at hundreds of thousands of new values for nothing.

    After it they count as old, else the next collection, which is for young values, would look at each of them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():  # what a caller froze stays so
                gc.freeze()
                gc.unfreeze()
            gc.enable()


@contextmanager
def _collecting_rarely() -> Iterator[None]:
    """Let the garbage collector look for the cyclic trees that broken queries leave, of which there may be many.

    Other trees are freed at once. By default it would look at those that are being worked on again and again.
    """
    was_on, thresholds = gc.isenabled(), gc.get_threshold()
    gc.set_threshold(BETWEEN_COLLECTIONS, *thresholds[1:])
    gc.enable()
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        if not was_on:
            gc.disable()
