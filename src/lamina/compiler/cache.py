"""What compiling remembers, as values: linked models by everything they depend on, query objects by content.

Only the version of the code that wrote it uses it; losing it costs only time.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from lamina.compiler.graph import Graph
from lamina.compiler.link.linked import Linked
from lamina.compiler.query.object import QueryHead, QueryObject
from lamina.project.model import SettingPlaces
from lamina.project.project import Project
from lamina.project.source import SourceTable
from lamina.values.codec import Packed, from_pack
from lamina.values.diagnostic import Diagnostic
from lamina.values.schema import Schema
from lamina.values.value import Value

Objects = Mapping[str, Packed]  # the objects of queries by the key of their content


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


class StoredBase(Value, frozen=True, array_like=True):
    """A whole compilation without its objects; the packed parts are decoded one by one, when needed."""

    identity: str  # of this one file: what belongs to it names it
    project_key: str
    frame_key: str
    undeclared: tuple[tuple[SourceTable, Schema | None], ...]  # sources whose columns were looked up
    head: memoryview  # the graph without its models
    frame: memoryview
    links: memoryview


class StoredObjects(Value, frozen=True, array_like=True):
    """The objects of a base."""

    base: str  # its identity
    objects: dict[str, Packed]


class StoredChanges(Value, frozen=True, array_like=True):
    """What a compilation has made again since the base that it names; everything else is as in the base."""

    base: str  # its identity
    project_key: str
    diagnostics: tuple[Diagnostic, ...]  # all of the graph's; else its head is that of the base
    links: dict[str, StoredLink]
    objects: dict[str, Packed]


class Memory:
    """The remembered parts of the last compilation; objects are loaded when first requested."""

    def __init__(self, links: Mapping[str, StoredLink], load_objects: Callable[[], Objects]) -> None:
        self.links = links
        self._load_objects = load_objects

    @cached_property
    def objects(self) -> Objects:
        """Return the remembered objects."""
        return self._load_objects()


NOTHING = Memory({}, dict)


class Compilation(NamedTuple):
    """A graph, and what was made again for it: links by model, objects by key."""

    graph: Graph
    links: Mapping[str, StoredLink]
    objects: Objects


def query_of(objects: Objects, key: str) -> QueryObject | None:
    """Return an object, unpacked."""
    packed = objects.get(key)
    return from_pack(packed, QueryObject) if packed is not None else None


def references_of(objects: Objects, key: str) -> tuple[StoredReference, ...]:
    """Return the table names in a query; the rest of its object stays packed."""
    packed = objects.get(key)
    head = from_pack(packed, QueryHead) if packed is not None else QueryHead()
    return tuple(StoredReference(item.parts, item.name, item.start) for item in head.references)


def linked_of(link: StoredLink) -> Linked:
    """Return a linked model, unpacked."""
    return from_pack(link.body, Linked)


def graph_of(head: Graph, links: Iterable[StoredLink]) -> Graph:
    """Put a graph together."""
    models = (linked_of(link).model for link in links)
    return head.replace(models=tuple(sorted(models, key=lambda model: model.name)))


def frame_of(project: Project) -> Frame:
    """Return what is remembered of a project as read."""
    models = (model.replace(text="") if model.kind == "sql" else model for model in project.models)
    places = {table.places.file: table.places for table in project.sources if table.places is not None}
    bare = project.replace(models=tuple(models), sources=tuple(table.replace(places=None) for table in project.sources))
    return Frame(bare, tuple(table.places.file if table.places else "" for table in project.sources), places)


def project_of(frame: Frame, texts: Mapping[str, str]) -> Project:
    """Return a project as it was read, with the queries of today."""
    project = frame.project
    models = (model.replace(text=texts[model.path]) if model.kind == "sql" else model for model in project.models)
    pairs = zip(project.sources, frame.files, strict=True)
    sources = (table.replace(places=frame.places.get(file)) for table, file in pairs)
    return project.replace(models=tuple(models), sources=tuple(sources))
