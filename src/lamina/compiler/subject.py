"""What the rules look at: one linked model with its files, its shape and the facts of its inputs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lamina.compiler.graph import CompiledModel
from lamina.compiler.link.linked import Linked
from lamina.compiler.query.object import QueryObject
from lamina.compiler.query.operators import QueryShape
from lamina.compiler.query.places import place_at
from lamina.compiler.slices.verdict import InputFacts, Verdict
from lamina.project.model import ModelFile, SettingPlaces
from lamina.project.source import Connection, SourceTable
from lamina.values.change import ModelChange
from lamina.values.diagnostic import Place
from lamina.values.nearest import nearest
from lamina.values.schema import Column, Schema


class Subject(NamedTuple):
    """One model to be checked."""

    file: ModelFile
    model: CompiledModel
    query: QueryObject | None  # None: not written in SQL
    names: tuple[str, ...]  # of the query's references, resolved
    ephemeral: Mapping[str, Linked]  # by name
    shape: QueryShape | None  # composed: ephemeral inputs are part of it; None where no proof needs it
    inputs: Mapping[str, InputFacts]  # by name
    schemas: Mapping[str, Schema | None]  # of the inputs, by name
    previous: CompiledModel | None = None  # as it was promoted
    change: ModelChange | None = None  # what became of it since it was promoted
    verdict: Verdict | None = None  # None: its query cannot be looked into

    def place_of(self, key: str) -> Place:
        """Return where a key of the sidecar is."""
        return self.file.places.of(key)

    def place_in_text(self, start: int) -> Place:
        """Return where an offset of the query is."""
        return place_at(self.file.text, start).replace(file=self.file.path)

    def column(self, name: str) -> Column | None:
        """Return an output column, None if there is none or the columns are not known."""
        return find_column(self.model.columns, name)

    def has_column(self, name: str) -> bool:
        """Return whether an output column exists; unknown columns are taken to exist."""
        return self.model.columns is None or self.column(name) is not None

    def close_column(self, name: str) -> str | None:
        """Return the output column with the nearest name."""
        return nearest(name, [str(column.name) for column in self.model.columns or ()])


class ProjectSubject(NamedTuple):
    """All models and sources of a project, for the rules that look at several of them together."""

    linked: Sequence[Linked]
    sources: tuple[SourceTable, ...]

    def connections(self) -> Iterator[tuple[str, Connection, SettingPlaces]]:
        """Yield each source that is a database by its name, how it is reached, and where that is written."""
        found = {table.name.partition(".")[0]: table for table in self.sources if table.connection is not None}
        for source, table in sorted(found.items()):
            if table.connection is not None and table.places is not None:
                yield source, table.connection, table.places


def find_column(schema: Schema | None, name: str) -> Column | None:
    """Return the column of that name, whatever its case."""
    wanted = name.lower()
    return next((column for column in schema or () if column.name.lower() == wanted), None)


def missing_columns(subject: Subject, key: str, names: tuple[str, ...]) -> Iterator[tuple[str, Place, str | None]]:
    """Yield the names of a setting that the model's output lacks, where each is, and the nearest column."""
    for number, name in enumerate(names):
        if not subject.has_column(name):
            yield name, subject.place_of(f"{key}.{number}"), subject.close_column(name)


def suggestion_hint(close: str | None, otherwise: str) -> str:
    """Return a hint that offers the nearest name, if there is one."""
    return f"did you mean `{close}`?" if close else otherwise
