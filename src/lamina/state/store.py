"""The state store on a SQL database that also holds the catalog: a publish and its records are one transaction."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from lamina.compiler.graph import Graph
from lamina.state import history, leases, logs, place, retention, slices
from lamina.state.dialect import StateDatabase, StateTransaction
from lamina.state.dropped import Dropped, clear_dropped, forget_table, write_dropped
from lamina.state.errors import PublishConflict
from lamina.state.port import BatchRecord, Lease, ModelRecord, RunRecord, StateView
from lamina.values.batch import Published
from lamina.values.codec import content_hash
from lamina.values.facts import Failure, Intent
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import CommitId, EnvironmentName, ModelName, PlanId, RunId, TableName
from lamina.values.plan import Plan
from lamina.values.touch import Touch
from lamina.warehouse.catalog.port import Catalog, stage_of


class SqlStore:
    """State in the catalog's own database; safe to share between threads and processes."""

    def __init__(self, database: StateDatabase, catalog: Catalog, *, warehouse: Path | None = None) -> None:
        self._database = database
        self._catalog = catalog
        self._warehouse = warehouse  # where publications are counted beside the tables; None: nowhere
        self._has_published = False
        with self._database.reading() as transaction:
            self._identity = place.read_place(transaction).identity

    @property
    def identity(self) -> str:
        """The store's own id, part of every mark."""
        return self._identity

    def adopt(self, identity: str, lease: Lease) -> None:
        """Take over the identity of a lost store, whose marks the tables carry."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            place.take_identity(transaction, identity, warehouse=self._warehouse)
        self._identity = identity

    def keep_copy(self, *, at: datetime) -> None:
        """Copy the database to a safe place, if anything was published since it was opened."""
        if self._has_published:
            self._database.keep_copy(at=at)
            self._has_published = False

    def close(self) -> None:
        """Release the database."""
        self._database.close()

    def view(self, environment: EnvironmentName) -> StateView:
        """Return what is recorded."""
        with self._database.reading() as transaction:
            return StateView(
                models=logs.read_records(transaction, environment),
                touches=logs.read_logs(transaction, environment),
                failures=slices.read_failures(transaction, environment),
                requests=slices.read_requests(transaction, environment),
            )

    # Leases

    def take_lease(
        self, environment: EnvironmentName, holder: RunId, *, process: str, now: datetime, ttl: timedelta, above: int
    ) -> Lease:
        """Take the lease with a token above `above` and every earlier one; raise `LeaseHeld` while another holds it."""
        wanted = Lease(environment, holder, token=above, expires_at=now + ttl, process=process)
        with self._database.writing() as transaction:
            return leases.take(transaction, wanted, now=now)

    def renew_lease(self, lease: Lease, *, now: datetime, ttl: timedelta) -> Lease:
        """Extend a lease that is still ours; raise `LeaseLost` otherwise."""
        with self._database.writing() as transaction:
            return leases.renew(transaction, lease, now=now, ttl=ttl)

    def current_lease(self, environment: EnvironmentName) -> Lease | None:
        """Return the lease that is held, whether it expired or not."""
        with self._database.reading() as transaction:
            return leases.current(transaction, environment)

    def break_lease(self, lease: Lease) -> None:
        """Take a lease away from its holder, who is known to be gone; do nothing if it changed hands."""
        self.release_lease(lease)

    def release_lease(self, lease: Lease) -> None:
        """Give the lease back; a lease already lost is left alone."""
        with self._database.writing() as transaction:
            leases.release(transaction, lease)

    # A run and its batches

    def begin(self, run: RunRecord, lease: Lease) -> None:
        """Record the start of a run."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            history.close_runs(transaction, lease.environment)
            history.put_run(transaction, run)

    def finish(self, run: RunRecord) -> None:
        """Record the end of a run."""
        with self._database.writing() as transaction:
            history.put_run(transaction, run)

    def intend(self, intent: Intent, lease: Lease) -> None:
        """Record a batch about to be staged."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            history.add_intent(transaction, lease.environment, intent)

    def abandon(self, commit: CommitId) -> None:
        """Forget an intent whose stage is gone."""
        with self._database.writing() as transaction:
            history.drop_intent(transaction, commit)

    def intents(self, environment: EnvironmentName) -> tuple[Intent, ...]:
        """Return the intents of an environment that were neither recorded nor abandoned."""
        with self._database.reading() as transaction:
            return history.read_intents(transaction, environment)

    def fold(
        self,
        environment: EnvironmentName,
        lease: Lease,
        *,
        touches: tuple[Touch, ...],
        models: tuple[ModelRecord, ...],
    ) -> None:
        """Append touches to their logs and replace model records, in one transaction."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            for touch in touches:
                logs.append(transaction, environment, touch)
            for record in models:
                logs.replace_record(transaction, environment, record)
            folded = (cursor.input for record in models for cursor in record.coverage.cursors)
            logs.trim(transaction, environment, (*(touch.table for touch in touches), *folded))

    def record(self, published: Published, lease: Lease, *, at: datetime, execution_time: datetime) -> Touch:
        """Publish and record, all or nothing; raise `PublishConflict` when the table is not at its base."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            refused = self._catalog.publish(transaction, (published.move,))
            if refused is not None:
                raise PublishConflict(refused.target, refused.base)
            touch = logs.append(transaction, lease.environment, _touch_of(published))
            _record_batch(transaction, published, lease, at=at, execution_time=execution_time)
            if self._warehouse is not None:
                clear_dropped(self._warehouse, published.move.target)
            place.count_publication(transaction, published.move.target, warehouse=self._warehouse)
            self._has_published = True
            return touch

    def drop(self, model: ModelName, lease: Lease, *, table: TableName, pointer: str | None, at: datetime) -> None:
        """Take a table out of the catalog and forget its model, all or nothing; raise `PublishConflict` if it moved."""
        note = Dropped(table=table, environment=lease.environment, model=model, at=int(at.timestamp() * 1000))
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            if pointer is not None and self._catalog.pointer(transaction, table) != pointer:
                raise PublishConflict(table, pointer)
            forget_table(transaction, self._catalog, note)
            if self._warehouse is not None:
                write_dropped(self._warehouse, note)
            place.count_publication(transaction, table, warehouse=self._warehouse)
            self._has_published = True

    # Slices

    def fail(self, failures: tuple[Failure, ...], lease: Lease) -> None:
        """Record slices whose build failed for good."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            slices.add_failures(transaction, lease.environment, failures)

    def ask_again(self, asked: Mapping[ModelName, tuple[Interval, ...]], lease: Lease) -> None:
        """Let what failed of models be tried now, and request ranges of them, all or nothing."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            for model, ranges in asked.items():
                slices.release_failures(transaction, lease.environment, model)
                slices.add_request(transaction, lease.environment, model=model, asked=ranges)

    # Tidying

    def expire(self, models: frozenset[ModelName], lease: Lease, *, now: datetime) -> None:
        """Drop stages without an intent, history beyond what is kept, and what models that are gone hold back."""
        environment = lease.environment
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            live = history.all_intents(transaction)
            for commit in self._catalog.stages(transaction):
                if commit not in live:
                    self._catalog.drop(transaction, stage_of(commit))
            retention.remove_runs(transaction, now - retention.KEPT_FOR)
            retention.remove_batches(transaction, now - retention.KEPT_FOR)
            retention.remove_plans(transaction)
            logs.trim(transaction, environment, retention.forget_readers(transaction, environment, models))

    # Looking back

    def save_plan(self, plan: Plan) -> None:
        """Keep a plan for `apply`."""
        with self._database.writing() as transaction:
            history.put_plan(transaction, plan)

    def load_plan(self, plan_id: PlanId) -> Plan | None:
        """Return a kept plan, by its id or an unambiguous beginning of it."""
        with self._database.reading() as transaction:
            return history.find_plan(transaction, plan_id)

    def save_graph(self, environment: EnvironmentName, graph: Graph) -> None:
        """Keep the compiled project an environment was last run with; the same one is not written again."""
        with self._database.reading() as transaction:
            if history.graph_hash(transaction, environment) == content_hash(graph):
                return
        with self._database.writing() as transaction:
            history.put_graph(transaction, environment, graph)

    def load_graph(self, environment: EnvironmentName) -> Graph | None:
        """Return the compiled project an environment was last run with."""
        with self._database.reading() as transaction:
            return history.find_graph(transaction, environment)

    def runs(self, *, limit: int) -> tuple[RunRecord, ...]:
        """Return the latest runs, newest first."""
        with self._database.reading() as transaction:
            return history.latest_runs(transaction, limit)

    def run(self, run_id: RunId) -> RunRecord | None:
        """Return one run."""
        with self._database.reading() as transaction:
            return history.find_run(transaction, run_id)

    def batches(self, environment: EnvironmentName, model: ModelName, *, limit: int) -> tuple[BatchRecord, ...]:
        """Return the latest batches of a model, newest first."""
        with self._database.reading() as transaction:
            return history.latest_batches(transaction, environment, model=model, limit=limit)


def _touch_of(published: Published) -> Touch:
    return Touch(
        table=TableName(published.batch.model),
        position=published.position,
        parent=published.parent,
        extent=published.extent,
        is_append=published.is_append,
        has_new_rows=published.has_new_rows,
        refinements=published.refinements,
        rows_added=published.counts.written,
    )


def _record_batch(
    transaction: StateTransaction, published: Published, lease: Lease, *, at: datetime, execution_time: datetime
) -> None:
    """Store everything a published batch changes beside its pointer and its touch."""
    environment, batch = lease.environment, published.batch
    coverage = published.mark.coverage
    logs.replace_record(
        transaction,
        environment,
        ModelRecord(model=batch.model, pointer=published.move.pointer, position=published.position, coverage=coverage),
    )
    logs.trim(transaction, environment, (TableName(batch.model), *(cursor.input for cursor in coverage.cursors)))
    if batch.mode != "rewrite":
        slices.clear_failures(transaction, environment, model=batch.model, built=batch.slices)
        # All rows of a table made again are as young as anybody can have asked for.
        answered = (WHOLE,) if batch.mode == "replace_all" else batch.slices
        slices.clear_requests(transaction, environment, model=batch.model, built=answered)
    if batch.is_base_lost:
        slices.forget_failures(transaction, environment, batch.model)
    history.drop_intent(transaction, batch.commit)
    history.add_batch(
        transaction,
        environment,
        BatchRecord(
            commit=batch.commit,
            run_id=lease.holder,
            model=batch.model,
            slices=batch.slices,
            rows_written=published.counts.written,
            duration_ms=published.duration_ms,
            published_at=at,
            execution_time=execution_time,
        ),
    )
