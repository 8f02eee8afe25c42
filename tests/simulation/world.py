"""One simulated world: a lake, a project, a clock, and what outsiders do to them."""

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from tests.simulation.algebra import Expression, Relation, Row, with_table
from tests.simulation.lake import Lake
from tests.simulation.memory_catalog import JoinedDatabase
from tests.simulation.neighbours import NEIGHBOURS, Neighbour
from tests.simulation.oracle import BEGIN
from tests.simulation.project import EVENT_COLUMNS, EVENTS, FILES, NAMES, Project

from lamina.api import custody
from lamina.compiler.graph import CompiledModel, Graph
from lamina.executor.runtime import Compiling
from lamina.state import place
from lamina.state.dropped import read_dropped
from lamina.state.port import Origin
from lamina.state.sqlite import Database, looking
from lamina.state.store import SqlStore
from lamina.values.codec import content_hash, from_json, to_json
from lamina.values.names import (
    EnvironmentName,
    Fingerprint,
    ModelName,
    RunId,
    TableName,
    is_quarantine,
    without_quarantine,
)
from lamina.values.project_text import TextFile, project_text
from lamina.warehouse.iceberg.rediscovery import FoundTable

KEYS = ("a", "b", "c")
FOREIGN_KEY = "f"  # of rows that others add to managed tables
PROJECT = "simulation"
PROD = EnvironmentName("prod")
FIRST_NOW = BEGIN + timedelta(days=3, hours=2)


@dataclass
class World:
    """Everything that survives a crash, and the time."""

    path: Path
    lake: Lake
    project: Project
    name: str = PROJECT
    environment: EnvironmentName = PROD
    now: datetime = FIRST_NOW  # the execution time of runs
    latest: datetime = FIRST_NOW  # that `now` has ever been
    wall: datetime = BEGIN + timedelta(days=400)  # the clock that leases live by
    compiler: int = 0  # its version: each gives the same text other fingerprints
    queries: dict[Fingerprint, Expression] = field(default_factory=dict)  # of every edition so far
    models: dict[Fingerprint, CompiledModel] = field(default_factory=dict)
    ids: int = 0
    runs: int = 0
    tables: dict[str, Counter[Row]] = field(default_factory=dict)  # as they are at the end
    copies: list[dict[str, list[tuple[Any, ...]]]] = field(default_factory=list)  # of the state, before each run
    catalogs: list[dict[TableName, str]] = field(default_factory=list)  # the pointers at the time of each copy
    dropped: set[str] = field(default_factory=set)  # models whose tables lamina dropped, and that were not built since
    unlisted: set[str] = field(default_factory=set)  # models whose quarantines others dropped, and that are not back
    left: set[str] = field(default_factory=set)  # models whose recorded tables others dropped without their files
    neighbours: dict[Neighbour, "World"] = field(default_factory=dict)  # in the same lake and the same state
    has_accepted_empty: bool = False  # some run took an empty listing as the content of its source
    has_read_behind: bool = False  # some run read inputs at versions before their newest
    accepts_empty: bool = False  # every run does so from now on
    past_folders: list[dict[str, int]] = field(default_factory=list)
    past_rows: dict[str, list[tuple[Row, ...]]] = field(default_factory=dict)

    def compile(self) -> tuple[Graph, dict[Fingerprint, Expression]]:
        """Compile the project as it is now, and remember its queries."""
        return self._compile(self.project)

    def _compile(self, project: Project) -> tuple[Graph, dict[Fingerprint, Expression]]:
        graph, queries = project.compile(compiler=self.compiler)
        for before, now in self.lake.renamed.items():  # an earlier text has earlier names
            queries = {code: with_table(query, before, now) for code, query in queries.items()}
        self.queries |= queries
        self.models |= {model.fingerprint: model for model in graph.models}
        return graph, queries

    def beside(self, other: Neighbour) -> "World":
        """Return the other project or environment that shares lake and state, at the time of this one."""
        if other not in self.neighbours:
            made = World(self.path, self.lake, NEIGHBOURS[other])
            if other == "project":
                made.name = "neighbour"
            else:
                made.environment = EnvironmentName("dev")
            self.neighbours[other] = made
        found = self.neighbours[other]
        found.now, found.wall, found.accepts_empty = self.now, self.wall, self.accepts_empty
        return found

    def compiling(self) -> Compiling:
        """Return the compiler of now, with the text of the project: what its designs are."""
        content = to_json(self.project).decode()
        text = project_text((TextFile("project.json", content_hash(content), content),))
        return Compiling(
            origin=Origin(f"compiler {self.compiler}", text),
            compile=lambda text: self._compile(from_json(text.files[0].content, Project))[0],
        )

    @property
    def run_id(self) -> RunId:
        """The id of the run that this world is in, or was in last."""
        return RunId(f"{self.name}-{self.environment}-{self.runs}")

    @property
    def warehouse(self) -> Path:
        """The folder of notes beside the tables."""
        return self.path.parent / "warehouse"

    def open_store(self) -> SqlStore:
        """Open the state as a new process does."""
        return SqlStore(self.open_database(), self.lake.catalog, project=self.name, warehouse=self.warehouse)

    def open_command(self) -> SqlStore:
        """Open the state as a command does, which puts back the rows of tables whose files still exist."""
        with closing(self.open_database()) as database, database.reading() as transaction:
            known = self.lake.catalog.pointers(transaction)
            missing = custody.missing_tables(transaction, known, home_of=self.lake.home_of)
        if missing:
            times = {home: note.at for home, note in read_dropped(self.warehouse).items()}
            at = {self.lake.home_of(pointer): pointer for pointer in known.values()}
            found = tuple(item for item in self.lake.found({**at, **missing}, times) if item.table in missing)
            left = custody.without_replaced(found, known, mark_of=lambda pointer: self.lake.metadata[pointer].mark)
            replaced = {item.table for item in found} - {item.table for item in left}
            self._register({**at, **missing}, tables=set(missing) - replaced)
        return self.open_store()

    def open_database(self) -> JoinedDatabase:
        """Open the state's database, and take the catalog along."""
        return JoinedDatabase(Database(self.path, connect=connect_quickly), self.lake.catalog)

    # What one file holds in a real project: state and catalog

    def pointers(self) -> dict[TableName, str]:
        """Return where every table is."""
        return self.lake.pointers()

    def remember_file(self) -> None:
        """Copy the file, as is done after every run."""
        self.copies.append(copy_state(self.path))
        self.catalogs.append(self.pointers())

    def lose_file(self, back: int | None) -> None:
        """Lose the file, or put back a copy of it, and open it as the next command does."""
        restore_state(self.path, {} if back is None else self.copies[back])
        rows = {} if back is None else self.catalogs[back]
        self.lake.catalog.put_back(rows)
        known = {self.lake.home_of(pointer): pointer for pointer in rows.values()}
        self._register(known, tables=None)
        for neighbour in self.neighbours.values():
            neighbour._register(known, tables=None)

    def _register(self, known: dict[TableName, str], *, tables: set[TableName] | None) -> None:
        """Register tables, or all, at their published heads; all are named by their folders."""
        notes = read_dropped(self.warehouse)
        found = self.lake.found(known, {home: note.at for home, note in notes.items()})
        found = (*(item for item in found if not self._is_alone(item.table, tables)), *self._followed(known, tables))
        with closing(self.open_database()) as database, database.writing() as transaction:
            custody.register_tables(
                transaction,
                tuple(
                    item
                    for item in found
                    if tables is None or without_quarantine(item.table) in tables or item.table in tables
                ),
                tuple(note for note in notes.values() if tables is None or note.folder in tables),
                catalog=self.lake.catalog,
                project=self.name,
                warehouse=self.warehouse,
                home_of=self.lake.home_of,
            )
        self.left -= set(self.placed())
        rows = self.pointers()
        self.unlisted -= {name for name in self.unlisted if self.quarantine_place(name) in rows}

    def _is_alone(self, home: TableName, tables: set[TableName] | None) -> bool:
        """Return whether a quarantine is missing, and its table is where it was."""
        return is_quarantine(home) and tables is not None and without_quarantine(home) not in tables

    def _followed(self, known: dict[TableName, str], tables: set[TableName] | None) -> tuple[FoundTable, ...]:
        """Return quarantines that follow tables which are where they were."""
        alone = (TableName(without_quarantine(home)) for home in tables or () if self._is_alone(home, tables))
        marks = {home: self.lake.metadata[known[home]].mark for home in alone if home in known}
        found = (self.lake.quarantine(FoundTable(home, "", "", mark)) for home, mark in marks.items())
        return tuple(item for item in found if item is not None)

    # Rows of sources

    def new_rows(self, source: str, *, day: int, count: int, seed: int) -> tuple[Row, ...]:
        """Return fresh rows of a day."""
        random = Random(seed)
        if source == NAMES.name:
            return tuple((random.choice(KEYS), random.randrange(4)) for _ in range(count))
        rows = []
        for _ in range(count):
            self.ids += 1
            at = BEGIN + timedelta(days=day, hours=random.randrange(24))
            status = random.choice(("new", "paid"))
            rows.append((self.ids, at, random.choice(KEYS), status, random.randrange(5)))
        return tuple(rows)

    def rows(self, source: str) -> tuple[Row, ...]:
        """Return the rows of a versioned source."""
        metadata = self.lake.table(TableName(source))
        return () if metadata is None else metadata.head.relation.rows

    def commit(self, source: str, rows: tuple[Row, ...], *, is_append: bool) -> None:
        """Commit rows to a versioned source, remembering what was there."""
        self.past_rows.setdefault(source, []).append(self.rows(source))
        columns = EVENT_COLUMNS if source == EVENTS.name else ("key", "weight")
        self.lake.commit(TableName(source), Relation(columns, rows), "append" if is_append else "overwrite")

    def files(self) -> dict[str, int]:
        """Return the files of the file source."""
        return self.lake.folders.setdefault(FILES.location, {})

    def remember_files(self) -> None:
        """Remember the folder as it is, to come back to it."""
        self.past_folders.append(dict(self.files()))

    def put_file(self, rows: tuple[Row, ...], name: str | None = None) -> None:
        """Write a file, a new one unless it is named."""
        self.remember_files()
        self.ids += 1
        self.lake.put_file(FILES.location, name or f"file{self.ids}", relation=Relation(EVENT_COLUMNS, rows))

    # Managed tables

    def stores(self) -> set[str]:
        """Return the stores that the marks of the models' tables name."""
        tables = (self.lake.table(table) for table in self.placed().values())
        return {table.mark.store for table in tables if table is not None and table.mark is not None}

    def model(self, pick: int) -> str:
        """Return the name of some model."""
        return self.project.designs[pick % len(self.project.designs)].name

    def place(self, name: str) -> TableName:
        """Return the name that the table of a model has now, or will have."""
        (design,) = (item for item in self.project.designs if item.name == name)
        return self.lake.place(name, design.target)

    def call(self, name: str, now: str) -> None:
        """Give a model another name: its file says which one it had, and its readers name it so."""
        self.project = self.project.called(name, now)
        self.lake.renamed[name] = now
        self.queries = {code: with_table(query, name, now) for code, query in self.queries.items()}
        self.models = {
            code: model.replace(name=ModelName(now)) if model.name == name else model
            for code, model in self.models.items()
        }
        for models in (self.dropped, self.left, self.unlisted):
            if name in models:
                models.remove(name)
                models.add(now)

    def call_all(self) -> dict[str, str]:
        """Give every model another name that never had one; return the names they had, by those of now."""
        found = {f"{design.name}_now": design.name for design in self.project.designs if design.renamed_from is None}
        for now, name in found.items():
            self.call(name, now)
        return found

    def quarantine_place(self, name: str) -> TableName:
        """Return the name that the quarantine of a model's table has now."""
        (design,) = (item for item in self.project.designs if item.name == name)
        return self.lake.quarantine_place(name, design.target)

    def placed(self) -> dict[str, TableName]:
        """Return the tables of the models that have one."""
        rows = self.pointers()
        places = {design.name: self.place(design.name) for design in self.project.designs}
        return {name: table for name, table in places.items() if table in rows}

    def drop_row(self, name: str) -> None:
        """Drop the table of a model behind lamina's back; its files stay."""
        table = self.placed()[name]
        homes = {self.lake.home_of(pointer) for pointer in _recorded(self.path)}
        self.left |= {name} if self.lake.home_of(self.pointers()[table]) in homes else set()
        self.dropped.discard(name)
        self.lake.drop(table)

    def write_foreign(self, table: TableName, rows: tuple[Row, ...]) -> None:
        """Commit rows to a managed table behind lamina's back."""
        metadata = self.lake.table(table)
        assert metadata is not None
        self.lake.commit(table, Relation(metadata.head.relation.columns, rows), "overwrite")


def open_world(path: Path, project: Project) -> World:
    """Return an empty world; its sources exist and hold nothing."""
    lake = Lake()
    world = World(path, lake, project)
    lake.folders[FILES.location] = {}
    for source in (EVENTS, NAMES):
        columns = tuple(str(column.name) for column in source.columns)
        lake.commit(TableName(source.location), Relation(columns, ()), "append")
    return world


def connect_quickly(path: Path) -> sqlite3.Connection:
    """Open the file of a simulation: its crashes never take the machine with them, so nothing need be durable."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = MEMORY")
    connection.execute("PRAGMA synchronous = OFF")
    return connection


StateCopy = dict[str, list[tuple[Any, ...]]]  # rows of each table of the state


def copy_state(path: Path) -> StateCopy:
    """Return a backup of the state."""
    with closing(sqlite3.connect(path)) as connection:
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in _state_tables(connection)}


def restore_state(path: Path, copy: StateCopy) -> None:
    """Put a backup of the state back; tokens of leases given meanwhile are forgotten with the rest."""
    forget_state(path)
    if not copy:
        return
    Database(path, connect=connect_quickly).close()
    with closing(sqlite3.connect(path)) as connection:
        for name in _state_tables(connection):
            connection.execute(f"DELETE FROM {name}")
            for row in copy.get(name, []):
                connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
        connection.commit()


def forget_state(path: Path) -> None:
    """Lose the state and keep the catalog."""
    with closing(sqlite3.connect(path)) as connection:
        for name in _state_tables(connection):
            connection.execute(f"DROP TABLE {name}")
        connection.commit()


def _recorded(path: Path) -> tuple[str, ...]:
    """Return the pointers that the state records; none while it is lost."""
    with looking(path, connect=connect_quickly) as transaction:
        return place.recorded_pointers(transaction) if transaction.has_table("lamina_model") else ()


def _state_tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'lamina_%'")
    return sorted(row[0] for row in found)
