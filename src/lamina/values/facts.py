"""What a run saw of the world before it decided: table heads, coverage, touches, failures, requests."""

from datetime import datetime
from typing import Literal

from lamina.values.coverage import Coverage, Mark
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, CommitId, Fingerprint, ModelName, Position, RunId, TableName
from lamina.values.schema import Schema
from lamina.values.touch import Touch
from lamina.values.value import Value


class Head(Value, frozen=True):
    """The current version of a table; a pointer names its metadata, a position its rows."""

    table: TableName
    pointer: str | None  # None: the table does not exist, or has no pointer (files)
    position: Position | None  # None: no version yet
    columns: Schema = ()
    bytes: int | None = None  # of its data as stored; None: not known
    files: int | None = None  # that hold its data; None: not known
    fault: str | None = None  # why nothing more is known of a table that has a pointer


class Version(Value, frozen=True):
    """One step in a managed table's main ancestry, oldest first in a history."""

    position: Position
    parent: Position | None
    mark: Mark | None
    touch: Touch
    is_content_preserving: bool = False


class Failure(Value, frozen=True):
    """A range that failed and was not built since: left until code, inputs or conditions change, its time, or asked."""

    model: ModelName
    interval: Interval
    fingerprint: Fingerprint
    pins: dict[TableName, Position]
    kind: str
    message: str
    attempts: int  # passes in which it failed since it was last built
    first_seen: datetime  # the first of them
    run_id: RunId
    lost_file: str | None = None  # of its own table: which file was missing or damaged when it was needed
    conditions: str = ""  # a hash of what else decides: checks, contract, declared columns, the day where it is read
    tried_at: datetime | None = None  # the execution time of the pass that failed last
    next_try: datetime | None = None  # the execution time from which it is tried again; None: by the next pass


class Intent(Value, frozen=True):
    """A batch about to be staged; it serves to clean stages up and to place fences."""

    commit: CommitId
    run_id: RunId
    model: ModelName
    target: TableName
    base: str | None
    token: int
    pins: dict[TableName, Position]


class TargetFacts(Value, frozen=True):
    """How a model's own table compares with what state recorded."""

    # `lost`: ours, but files of it cannot be read; `unreadable`: its owner is not known
    # `unregistered`: ours, its files are there, and the catalog has no row for it
    status: Literal[
        "absent", "ours", "moved", "foreign_write", "unmarked", "other_project", "lost", "unreadable", "unregistered"
    ]
    detail: str = ""


class ModelFacts(Value, frozen=True):
    """All that `decide` may know of one model."""

    coverage: Coverage
    target: TargetFacts
    failures: tuple[Failure, ...] = ()
    requests: tuple[Interval, ...] = ()  # ranges that someone asked for, until they are built
    unreadable: str = ""  # why a source that it reads cannot be read now
    columns: tuple[ColumnName, ...] = ()  # of its table
    looked_up: dict[TableName, Position | None] = {}  # versions of the tables that its checks look values up in
    called: TableName | None = None  # its table as it is called now, where it is to get another name
    quarantine_called: TableName | None = None  # the quarantine of its table, likewise
    renamed_from: ModelName | None = None  # the name under which it is recorded, where it is to get its own


class CatalogView(Value, frozen=True):
    """A view of the catalog as it is now; one that lamina did not define names no model."""

    pointer: str
    project: str = ""
    store: str = ""  # the id of the state that knew of it
    environment: str = ""
    model: str = ""
    definition: str = ""  # a digest of what it was defined from


class ViewFacts(Value, frozen=True):
    """What is in the place of a model's view: nothing, our view, a table, or something that is not ours."""

    status: Literal["absent", "ours", "table", "foreign"]
    pointer: str | None = None
    definition: str = ""  # of a view of ours


class Facts(Value, frozen=True):
    """The world as one run sees it; touches are those not yet folded by some reader."""

    execution_time: datetime
    heads: dict[TableName, Head]
    models: dict[ModelName, ModelFacts]
    touches: dict[TableName, tuple[Touch, ...]] = {}
    views: dict[ModelName, ViewFacts] = {}
    stale: dict[TableName, str] = {}  # tables whose readers are held back because they are stale, with the reason
