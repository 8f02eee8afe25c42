"""The port to the state: a cache of what the tables say, plus leases, intents, failures, requests and run history."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol

from lamina.compiler.graph import CompiledModel, Graph
from lamina.state.scope import Scope
from lamina.values.batch import BatchSize, CheckResult, Move, Published
from lamina.values.coverage import Coverage
from lamina.values.facts import Failure, Intent
from lamina.values.interval import Interval
from lamina.values.names import (
    CommitId,
    EnvironmentName,
    Fingerprint,
    ModelName,
    PlanId,
    Position,
    RunId,
    TableName,
)
from lamina.values.plan import Plan, Rename
from lamina.values.project_text import ProjectText
from lamina.values.touch import Touch
from lamina.values.value import Value


class Lease(Value, frozen=True):
    """The right to write in an environment; a higher token fences every lower one."""

    scope: Scope
    holder: RunId
    token: int
    expires_at: datetime
    process: str = ""  # `host:pid:start` of the holder, so that a dead one on this machine need not be waited for
    name: str = ""  # what else than the environment itself is written under it

    @property
    def environment(self) -> EnvironmentName:
        """The environment it is the right to write in."""
        return self.scope.environment


class ModelRecord(Value, frozen=True):
    """What state holds of one model: where its table was, and its coverage."""

    model: ModelName
    pointer: str | None
    position: Position | None
    coverage: Coverage


class BatchRecord(Value, frozen=True):
    """One published batch in history."""

    commit: CommitId
    run_id: RunId
    model: ModelName
    slices: tuple[Interval, ...]
    rows_written: int
    duration_ms: int
    published_at: datetime
    execution_time: datetime
    size: BatchSize | None = None  # None: of a rewrite, or not recorded yet when it was published


class CheckRecord(Value, frozen=True):
    """What one check said of one batch, in history."""

    run_id: RunId
    at: datetime
    result: CheckResult


class RunRecord(Value, frozen=True):
    """One run in history; `result` is the JSON document it printed, when it ended."""

    run_id: RunId
    environment: EnvironmentName
    command: str
    status: str  # running, or the status of its result
    started_at: datetime
    execution_time: datetime
    plan_id: PlanId | None = None
    finished_at: datetime | None = None
    result: str | None = None
    token: int = 0  # of the lease it works under


class Origin(Value, frozen=True):
    """What a project was compiled from, and by which compiler."""

    compiler: str
    text: ProjectText


class Promotion(Value, frozen=True):
    """A compiled model that is to be the promoted version."""

    model: CompiledModel
    origin: Origin


class PromotedModel(Value, frozen=True):
    """The version of a model that an environment has: what its table was last built by, or needs no build for."""

    fingerprint: Fingerprint
    compiler: str  # that gave the fingerprint; empty: not known
    hash: str  # of the compiled form
    text: str  # the hash of the text it came from; empty: not kept
    former: tuple[Fingerprint, ...] = ()  # that earlier compilers gave the same text: marks still name them


NO_NAMES: Mapping[ModelName, ModelName] = {}
NO_MOVES: Mapping[TableName, tuple[str, str]] = {}


class StateView(Value, frozen=True):
    """Everything a plan needs from state, read in one transaction."""

    models: dict[ModelName, ModelRecord]
    touches: dict[TableName, tuple[Touch, ...]]  # whole kept logs, oldest first
    failures: tuple[Failure, ...]
    requests: dict[ModelName, tuple[Interval, ...]]
    promoted: dict[ModelName, PromotedModel] = {}


class StateStore(Protocol):
    """What the executor asks of the state; every write is one transaction that checks the lease it is given."""

    @property
    def identity(self) -> str:
        """The store's own id, part of every mark."""

    @property
    def former_projects(self) -> tuple[str, ...]:
        """The names that the project of a state file of its own had before."""

    def adopt(self, identity: str, lease: Lease) -> None:
        """Take over the identity of a lost store, whose marks the tables carry."""

    def keep_copy(self, *, at: datetime) -> None:
        """Copy the state to a safe place, if anything was published since it was opened."""

    def view(self, environment: EnvironmentName) -> StateView:
        """Return what is recorded."""

    def take_lease(
        self,
        environment: EnvironmentName,
        holder: RunId,
        *,
        process: str,
        now: datetime,
        ttl: timedelta,
        above: int,
        name: str = "",
    ) -> Lease:
        """Take the lease with a token above `above` and every earlier one; raise `LeaseHeld` while another holds it."""

    def renew_lease(self, lease: Lease, *, now: datetime, ttl: timedelta) -> Lease:
        """Extend a lease that is still ours; raise `LeaseLost` otherwise."""

    def current_lease(self, environment: EnvironmentName) -> Lease | None:
        """Return the lease that is held, whether it expired or not."""

    def break_lease(self, lease: Lease) -> None:
        """Take a lease away from its holder, who is known to be gone; do nothing if it changed hands."""

    def release_lease(self, lease: Lease) -> None:
        """Give the lease back; a lease already lost is left alone."""

    def begin(self, run: RunRecord, lease: Lease, *, now: datetime) -> None:
        """Record the start of a run; runs whose lease is not held any more are recorded as interrupted."""

    def finish(self, run: RunRecord) -> None:
        """Record the end of a run."""

    def intend(self, intent: Intent, lease: Lease) -> None:
        """Record a batch about to be staged."""

    def abandon(self, commit: CommitId) -> None:
        """Forget an intent whose stage is gone."""

    def intents(self, environment: EnvironmentName) -> tuple[Intent, ...]:
        """Return the intents of an environment that were neither recorded nor abandoned."""

    def held_tokens(self, environment: EnvironmentName, *, now: datetime) -> frozenset[int]:
        """Return the tokens of the leases of an environment that are held: intents and runs of others are over."""

    def fold(
        self,
        environment: EnvironmentName,
        lease: Lease,
        *,
        touches: tuple[Touch, ...],
        models: tuple[ModelRecord, ...],
    ) -> None:
        """Append touches to their logs and replace model records, in one transaction.

        A touch with sequence 0 gets the next one of its log; any other sequence must be the next one.
        """

    def record(
        self,
        published: Published,
        lease: Lease,
        *,
        at: datetime,
        execution_time: datetime,
        promotion: Promotion | None = None,
    ) -> Touch:
        """Publish and record, all or nothing; raise `PublishConflict` when a table is not at its base.

        The pointer moves, the touch is appended, the coverage of the mark becomes the model's record, the version that
        built it is promoted, the failures and requests of the slices are cleared and the intent is dropped.
        """

    def define(self, move: Move, commit: CommitId, lease: Lease) -> None:
        """Publish a view, which has no rows to record; raise `PublishConflict` when it is not at its base."""

    def undefine(self, view: TableName, pointer: str, lease: Lease) -> None:
        """Take a view out of the catalog; raise `PublishConflict` if it was replaced meanwhile."""

    def rename(
        self,
        renames: tuple[Rename, ...],
        lease: Lease,
        *,
        models: Mapping[ModelName, ModelName] = NO_NAMES,
        moves: Mapping[TableName, tuple[str, str]] = NO_MOVES,
    ) -> tuple[Rename, ...]:
        """Give models and tables other names, all in one moment; return which tables got theirs.

        `models` are the names that are recorded, with those of now. `moves` are tables whose metadata was written
        again: from where, and where to. A table that is gone, or whose name was taken since, is left out.
        """

    def drop(
        self,
        model: ModelName,
        lease: Lease,
        *,
        table: TableName,
        pointer: str | None,
        at: datetime,
        home: TableName | None = None,
        beside: tuple[TableName, ...] = (),
    ) -> None:
        """Take a table out of the catalog and forget its model, all or nothing; raise `PublishConflict` if it moved.

        `home` is the name of the folder that its files are in; None: its own. With it go the tables `beside` it.
        """

    def fail(self, failures: tuple[Failure, ...], lease: Lease, checks: tuple[CheckRecord, ...] = ()) -> None:
        """Record slices whose build failed, in place of what was known of them, and what checks said of their rows."""

    def ask_again(self, asked: Mapping[ModelName, tuple[Interval, ...]], lease: Lease) -> None:
        """Let what failed of models be tried now, and request ranges of them: these are stale until they are built."""

    def expire(self, models: frozenset[ModelName], lease: Lease, *, now: datetime) -> None:
        """Drop stages that no intent names, history beyond what is kept, and what models beside these hold back."""

    def save_plan(self, plan: Plan) -> None:
        """Keep a plan for `apply`."""

    def begin_plan(
        self, plan: Plan, graph: Graph, lease: Lease, *, asked: Mapping[ModelName, tuple[Interval, ...]]
    ) -> None:
        """Keep the plan that a run begins, and request what was asked for: a run that dies is remembered whole."""

    def load_plan(self, environment: EnvironmentName, plan_id: PlanId) -> Plan | None:
        """Return a kept plan, by its id or an unambiguous beginning of it."""

    def promote(self, graph: Graph, lease: Lease, *, waiting: frozenset[ModelName], origin: Origin) -> None:
        """Make a whole project the promoted version, but for models that wait to be built by their new code.

        What is promoted already is not written again.
        """

    def recompiled(self, models: tuple[CompiledModel, ...], lease: Lease, *, compiler: str) -> None:
        """Replace promoted models by what another compiler makes of their text."""

    def find_text(self, digest: str) -> ProjectText | None:
        """Return the text that a promoted model came from."""

    def load_graph(self, environment: EnvironmentName) -> Graph | None:
        """Return the promoted project of an environment, as far as this compiler can read it."""

    def runs(self, environment: EnvironmentName, *, limit: int) -> tuple[RunRecord, ...]:
        """Return the latest runs, newest first."""

    def run(self, environment: EnvironmentName, run_id: RunId) -> RunRecord | None:
        """Return one run."""

    def batches(self, environment: EnvironmentName, model: ModelName, *, limit: int) -> tuple[BatchRecord, ...]:
        """Return the latest batches of a model, newest first."""

    def checks(self, environment: EnvironmentName, model: ModelName, *, limit: int) -> tuple[CheckRecord, ...]:
        """Return the latest results of each check of a model, by the checks' names, newest first."""

    def close(self) -> None:
        """Release the database."""
