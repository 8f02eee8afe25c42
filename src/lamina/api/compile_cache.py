"""The files a compilation is remembered in: a base, the objects of its queries, and what has changed since."""

import os
from collections.abc import Mapping
from functools import cached_property

from lamina.compiler.cache import (
    Compilation,
    Frame,
    Memory,
    Objects,
    StoredBase,
    StoredChanges,
    StoredLink,
    StoredObjects,
    frame_of,
    graph_of,
    project_of,
)
from lamina.compiler.graph import Graph
from lamina.project.cache_file import cache_path, read_cached, remove_cached, write_cached
from lamina.project.keys import ProjectKeys
from lamina.project.project import Project
from lamina.values.codec import from_pack, to_pack

BASE, OBJECTS, CHANGES = "compile.msgpack", "objects.msgpack", "changes.msgpack"
FEW_CHANGES = 20  # beside a base, or a twentieth of its models; with more, a new base is written


class CompileCache:
    """The memory of the last compilation; its parts are decoded when they are requested."""

    def __init__(self, root: str, version: str, *, base: StoredBase, changes: StoredChanges | None) -> None:
        self._root = root
        self._version = version
        self._base = base
        self._changes = changes
        self.project_key = changes.project_key if changes is not None else base.project_key
        self.frame_key = base.frame_key
        self.undeclared = base.undeclared

    def graph(self) -> Graph:
        """Return the graph as it was."""
        return graph_of(self.head, self._links.values())

    def project(self, texts: Mapping[str, str]) -> Project:
        """Return the project as it was read, with the queries of today."""
        return project_of(from_pack(self._base.frame, Frame), texts)

    @cached_property
    def head(self) -> Graph:
        """Return the graph without its models."""
        head = from_pack(self._base.head, Graph)
        return head if self._changes is None else head.replace(diagnostics=self._changes.diagnostics)

    @cached_property
    def memory(self) -> Memory:
        """Return what compiling can take over."""
        return Memory(self._links, self._objects)

    def add(self, made: Compilation, project_key: str) -> None:
        """Remember what was made again, beside the base or in a new one."""
        old = self._changes
        links = {**(old.links if old is not None else {}), **made.links}
        objects = {**(old.objects if old is not None else {}), **made.objects}
        base = self._base
        if len(links) <= max(FEW_CHANGES, len(self._links) // 20):
            changes = StoredChanges(base.identity, project_key, made.graph.diagnostics, links, objects)
            write_cached(cache_path(self._root, CHANGES), changes, written_by=self._version)
            return
        links = {**self._links, **made.links}
        used = {link.object_key for link in links.values()}
        objects = {key: item for key, item in {**self.memory.objects, **made.objects}.items() if key in used}
        new = base.replace(
            identity=_new_identity(),
            project_key=project_key,
            head=_head(made.graph),
            links=memoryview(to_pack(links)),
        )
        _write_base(self._root, new, objects, version=self._version)

    @cached_property
    def _links(self) -> dict[str, StoredLink]:
        links = from_pack(self._base.links, dict[str, StoredLink])
        return links if self._changes is None else links | self._changes.links

    def _objects(self) -> Objects:
        stored = read_cached(cache_path(self._root, OBJECTS), StoredObjects, written_by=self._version)
        objects = stored.objects if stored is not None and stored.base == self._base.identity else {}
        return objects if self._changes is None else objects | self._changes.objects


def open_cache(root: str, version: str) -> CompileCache | None:
    """Return the cache of a project, if this version of the code wrote one that can be read."""
    base = read_cached(cache_path(root, BASE), StoredBase, written_by=version)
    if base is None:
        return None
    changes = read_cached(cache_path(root, CHANGES), StoredChanges, written_by=version)
    is_current = changes is not None and changes.base == base.identity
    return CompileCache(root, version, base=base, changes=changes if is_current else None)


def write_cache(root: str, project: Project, made: Compilation, *, keys: ProjectKeys, version: str) -> None:
    """Remember a whole compilation."""
    found = {table.name: table.columns for table in made.graph.sources}
    undeclared = (table.replace(places=None) for table in project.sources if not table.columns)
    base = StoredBase(
        identity=_new_identity(),
        project_key=keys.project,
        frame_key=keys.frame,
        undeclared=tuple((table, found[table.name] or None) for table in undeclared),
        head=_head(made.graph),
        frame=memoryview(to_pack(frame_of(project))),
        links=memoryview(to_pack(made.links)),
    )
    _write_base(root, base, made.objects, version=version)


def _write_base(root: str, base: StoredBase, objects: Objects, *, version: str) -> None:
    # Objects and changes name their base, so no order of writes can mislead a reader.
    write_cached(cache_path(root, OBJECTS), StoredObjects(base.identity, dict(objects)), written_by=version)
    write_cached(cache_path(root, BASE), base, written_by=version)
    remove_cached(cache_path(root, CHANGES))


def _head(graph: Graph) -> memoryview:
    return memoryview(to_pack(graph.replace(models=())))


def _new_identity() -> str:
    return os.urandom(8).hex()
