"""What compiling remembers: objects by content, linked models by everything they depend on. Bytes in, bytes out.

One array of msgpack holds the heads; bodies stay packed until asked for. Nothing in it is believed by another version
of the code than the one that wrote it; losing it costs time only.
"""

from collections.abc import Mapping
from typing import NamedTuple

from lamina.compiler.graph import Graph
from lamina.compiler.linked import Linked
from lamina.compiler.object import QueryObject
from lamina.project.model import SettingPlaces
from lamina.project.project import Project
from lamina.project.source import SourceTable
from lamina.values.codec import Packed, from_pack
from lamina.values.schema import Schema
from lamina.values.value import Value


class StoredReference(Value, frozen=True, array_like=True):
    """A table name in a query, as far as names and layers need it."""

    parts: tuple[str, ...]
    name: str
    start: int


class StoredLink(Value, frozen=True, array_like=True):
    """A linked model with the keys that say whether it is still right."""

    object_key: str
    references: tuple[StoredReference, ...]
    link_key: str
    outward: str  # the key of all that others see of this model
    body: Packed


class Frame(Value, frozen=True, array_like=True):
    """A project without the text of its queries; sources of one file share their places."""

    project: Project
    files: tuple[str, ...]  # of each source, empty if it has no place
    places: dict[str, SettingPlaces]


class CacheFile(Value, frozen=True, array_like=True):
    """The whole cache; the packed parts are decoded one by one, when needed."""

    version: str
    project_key: str
    frame_key: str
    undeclared: tuple[tuple[SourceTable, Schema | None], ...]  # sources whose columns were looked up
    head: memoryview  # the graph without its models
    frame: memoryview
    links: memoryview
    objects: memoryview


class Memory:
    """The remembered parts of the last compilation."""

    def __init__(self, links: Mapping[str, StoredLink], objects: Mapping[str, Packed]) -> None:
        self.links = links
        self.objects = objects

    def query(self, key: str) -> QueryObject | None:
        """Return a remembered object."""
        packed = self.objects.get(key)
        return from_pack(packed, QueryObject) if packed is not None else None

    def linked(self, name: str) -> Linked:
        """Return a remembered model."""
        return from_pack(self.links[name].body, Linked)


class Compilation(NamedTuple):
    """A graph and what to remember of making it."""

    graph: Graph
    memory: Memory


def decode_cache(data: memoryview, version: str) -> CacheFile | None:
    """Return a cache that the same version of the code wrote; anything else is None."""
    try:
        found = from_pack(data, CacheFile)
    except (ValueError, RecursionError):
        return None
    return found if found.version == version else None


def memory_of(cache: CacheFile | None) -> Memory:
    """Return what a cache remembers."""
    if cache is None:
        return Memory({}, {})
    try:
        links = from_pack(cache.links, dict[str, StoredLink])
        return Memory(links, from_pack(cache.objects, dict[str, Packed]))
    except (ValueError, RecursionError):
        return Memory({}, {})


def remembered_graph(cache: CacheFile) -> Graph | None:
    """Return the graph as it was; None if the bytes are damaged."""
    try:
        head = from_pack(cache.head, Graph)
        links = from_pack(cache.links, dict[str, StoredLink])
        models = [from_pack(link.body, Linked).model for link in links.values()]
    except (ValueError, RecursionError):
        return None
    return head.replace(models=tuple(sorted(models, key=lambda model: model.name)))


def frame_of(project: Project) -> Frame:
    """Return what is remembered of a project as read."""
    models = (model.replace(text="") if model.kind == "sql" else model for model in project.models)
    places = {table.places.file: table.places for table in project.sources if table.places is not None}
    bare = project.replace(models=tuple(models), sources=tuple(table.replace(places=None) for table in project.sources))
    return Frame(bare, tuple(table.places.file if table.places else "" for table in project.sources), places)


def remembered_project(cache: CacheFile, texts: Mapping[str, str]) -> Project | None:
    """Return the project as it was read, with the queries of today; None if the bytes are damaged."""
    try:
        frame = from_pack(cache.frame, Frame)
    except (ValueError, RecursionError):
        return None
    project = frame.project
    models = (model.replace(text=texts[model.path]) if model.kind == "sql" else model for model in project.models)
    pairs = zip(project.sources, frame.files, strict=True)
    sources = (table.replace(places=frame.places.get(file)) for table, file in pairs)
    return project.replace(models=tuple(models), sources=tuple(sources))
