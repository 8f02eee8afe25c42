"""Load and compile a project from its folder, remembering the last time: wiring of reader, cache and compiler."""

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from lamina.compiler.cache import (
    CacheFile,
    Compilation,
    Memory,
    decode_cache,
    frame_of,
    memory_of,
    remembered_graph,
    remembered_project,
)
from lamina.compiler.graph import Graph
from lamina.project.cache_file import code_version, read_cache_file, write_cache_file
from lamina.project.keys import ProjectKeys, keys_of
from lamina.project.project import Project
from lamina.project.scan import Scan, scan_project
from lamina.project.source import SourceSchema, SourceTable
from lamina.values.codec import to_pack
from lamina.values.names import TableName
from lamina.values.schema import Schema


def load_project(root: str, environment_variables: Mapping[str, str]) -> Project:
    """Read the project at `root`; what is wrong with its files is inside."""
    from lamina.project.read import read_project

    return read_project(scan_project(os.fspath(root)), environment_variables)


def compile_project(project: Project, *, source_schema: SourceSchema | None = None) -> Graph:
    """Compile a project to its graph; what is wrong with its queries is inside."""
    return _compile(project, Memory({}, {}), source_schema or _schema_reader(project.root, {})).graph


def compile_root(
    root: str, environment_variables: Mapping[str, str], *, source_schema: SourceSchema | None = None
) -> Graph:
    """Load and compile the project at `root`, redoing only what changed since the last time."""
    with _without_collecting():
        scan = scan_project(os.fspath(root))
        known = source_schema or _schema_reader(scan.root, environment_variables)
        version = code_version()
        data = read_cache_file(scan.root)
        cache = decode_cache(data, version) if data is not None else None
        keys = keys_of(scan, environment_variables)
        if cache is not None and cache.project_key == keys.project and _are_unchanged(cache, known):
            graph = remembered_graph(cache)
            if graph is not None:
                return graph
        project = _project(scan, cache, keys, environment_variables)
        memory = memory_of(cache)
        made = _compile(project, memory, known)
        write_cache_file(scan.root, _cache_of(project, made, keys=keys, version=version))
        return made.graph


def _compile(project: Project, memory: Memory, source_schema: SourceSchema) -> Compilation:
    # Imported here: an unchanged project is answered from the cache without the parser.
    from lamina.compiler.compile import compile_models
    from lamina.parallel import compile_in_parallel

    return compile_models(project, memory, source_schema=source_schema, run=compile_in_parallel)


def _schema_reader(root: str, variables: Mapping[str, str]) -> SourceSchema:
    """Return what looks up the columns of sources; the catalog is opened only if one of its tables is asked for."""
    known: dict[str, Mapping[TableName, str]] = {}

    def read(table: SourceTable) -> Schema | None:
        from lamina.warehouse.schemas import KnownSchema, source_schema

        if table.type == "iceberg" and "pointers" not in known:
            known["pointers"] = _pointers(root, variables)
        answer = source_schema(table, Path(root), pointers=known.get("pointers", {}))
        return answer.columns if isinstance(answer, KnownSchema) else None

    return read


def _pointers(root: str, variables: Mapping[str, str]) -> Mapping[TableName, str]:
    from lamina.config import build_config
    from lamina.project.read import load_project_file
    from lamina.warehouse.catalog import connect, pointers

    file = load_project_file(scan_project(root), variables)
    config, _ = build_config(root, file, variables=variables, overrides={})
    if not os.path.exists(config.catalog.database):
        return {}
    with closing(connect(Path(config.catalog.database))) as connection:
        has_catalog = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'iceberg_tables'").fetchone()
        return pointers(connection, config.catalog.name) if has_catalog else {}


def _project(scan: Scan, cache: CacheFile | None, keys: ProjectKeys, variables: Mapping[str, str]) -> Project:
    """Read the project, or put the scanned queries into the one read before if nothing else changed."""
    if cache is not None and cache.frame_key == keys.frame:
        project = remembered_project(cache, {file.path: file.text() for file in scan.files if file.path[-4:] == ".sql"})
        if project is not None:
            return project
    from lamina.project.read import read_project

    return read_project(scan, variables)


def _are_unchanged(cache: CacheFile, source_schema: SourceSchema) -> bool:
    return all(source_schema(table) == schema for table, schema in cache.undeclared)


def _cache_of(project: Project, made: Compilation, *, keys: ProjectKeys, version: str) -> bytes:
    found = {table.name: table.columns for table in made.graph.sources}
    undeclared = (table.replace(places=None) for table in project.sources if not table.columns)
    return to_pack(
        CacheFile(
            version=version,
            project_key=keys.project,
            frame_key=keys.frame,
            undeclared=tuple((table, found[table.name] or None) for table in undeclared),
            head=memoryview(to_pack(made.graph.replace(models=()))),
            frame=memoryview(to_pack(frame_of(project))),
            links=memoryview(to_pack(made.memory.links)),
            objects=memoryview(to_pack(made.memory.objects)),
        )
    )


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
