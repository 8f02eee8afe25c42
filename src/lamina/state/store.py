"""The state store on a SQL database that also holds the catalog: a publish and its records are one transaction."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from lamina.compiler.graph import Graph
from lamina.state import copies, history, leases, logs, place, retention, slices
from lamina.state.dropped import Dropped, clear_dropped, forget_table, write_dropped
from lamina.state.errors import PublishConflict
from lamina.state.port import BatchRecord, Lease, ModelRecord, RunRecord, StateView
from lamina.state.sqlite import Database
from lamina.values.batch import Published
from lamina.values.codec import content_hash
from lamina.values.facts import Failure, Intent
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import CommitId, EnvironmentName, ModelName, PlanId, RunId, TableName
from lamina.values.plan import Plan
from lamina.values.touch import Touch
from lamina.warehouse.catalog import sqlite as catalog


class SqlStore:
    """State in the catalog's own database; safe to share between threads and processes."""

    def __init__(self, path: Path, *, catalog_name: str, warehouse: Path | None = None) -> None:
        self._database = Database(path)
        self._catalog_name = catalog_name
        self._warehouse = warehouse  # where publications are counted beside the tables; None: nowhere
        self._has_published = False
        with self._database.reading() as connection:
            self._identity = place.read_place(connection).identity

    @property
    def identity(self) -> str:
        """The store's own id, part of every mark."""
        return self._identity

    def adopt(self, identity: str, lease: Lease) -> None:
        """Take over the identity of a lost store, whose marks the tables carry."""
        with self._database.writing() as connection:
            leases.check(connection, lease)
            place.take_identity(connection, identity, warehouse=self._warehouse)
        self._identity = identity

    def keep_copy(self, *, at: datetime) -> None:
        """Copy the state and the catalog to a file beside them, if anything was published since they were opened."""
        if self._has_published:
            with self._database.reading() as connection:
                copies.keep_copy(connection, self._database.path, at=at)
            self._has_published = False

    def close(self) -> None:
        """Release the database."""
        self._database.close()

    def view(self, environment: EnvironmentName) -> StateView:
        """Return what is recorded."""
        with self._database.reading() as connection:
            return StateView(
                models=logs.read_records(connection, environment),
                touches=logs.read_logs(connection, environment),
                failures=slices.read_failures(connection, environment),
                requests=slices.read_requests(connection, environment),
            )

    # Leases

    def take_lease(
        self, environment: EnvironmentName, holder: RunId, *, process: str, now: datetime, ttl: timedelta, above: int
    ) -> Lease:
        """Take the lease with a token above `above` and every earlier one; raise `LeaseHeld` while another holds it."""
        wanted = Lease(environment, holder, token=above, expires_at=now + ttl, process=process)
        with self._database.writing() as connection:
            return leases.take(connection, wanted, now=now)

    def renew_lease(self, lease: Lease, *, now: datetime, ttl: timedelta) -> Lease:
        """Extend a lease that is still ours; raise `LeaseLost` otherwise."""
        with self._database.writing() as connection:
            return leases.renew(connection, lease, now=now, ttl=ttl)

    def current_lease(self, environment: EnvironmentName) -> Lease | None:
        """Return the lease that is held, whether it expired or not."""
        with self._database.reading() as connection:
            return leases.current(connection, environment)

    def break_lease(self, lease: Lease) -> None:
        """Take a lease away from its holder, who is known to be gone; do nothing if it changed hands."""
        self.release_lease(lease)

    def release_lease(self, lease: Lease) -> None:
        """Give the lease back; a lease already lost is left alone."""
        with self._database.writing() as connection:
            leases.release(connection, lease)

    # A run and its batches

    def begin(self, run: RunRecord, lease: Lease) -> None:
        """Record the start of a run."""
        with self._database.writing() as connection:
            leases.check(connection, lease)
            history.close_runs(connection, lease.environment)
            history.put_run(connection, run)

    def finish(self, run: RunRecord) -> None:
        """Record the end of a run."""
        with self._database.writing() as connection:
            history.put_run(connection, run)

    def intend(self, intent: Intent, lease: Lease) -> None:
        """Record a batch about to be staged."""
        with self._database.writing() as connection:
            leases.check(connection, lease)
            history.add_intent(connection, lease.environment, intent)

    def abandon(self, commit: CommitId) -> None:
        """Forget an intent whose stage is gone."""
        with self._database.writing() as connection:
            history.drop_intent(connection, commit)

    def intents(self, environment: EnvironmentName) -> tuple[Intent, ...]:
        """Return the intents of an environment that were neither recorded nor abandoned."""
        with self._database.reading() as connection:
            return history.read_intents(connection, environment)

    def fold(
        self,
        environment: EnvironmentName,
        lease: Lease,
        *,
        touches: tuple[Touch, ...],
        models: tuple[ModelRecord, ...],
    ) -> None:
        """Append touches to their logs and replace model records, in one transaction."""
        with self._database.writing() as connection:
            leases.check(connection, lease)
            for touch in touches:
                logs.append(connection, environment, touch)
            for record in models:
                logs.replace_record(connection, environment, record)
            folded = (cursor.input for record in models for cursor in record.coverage.cursors)
            logs.trim(connection, environment, (*(touch.table for touch in touches), *folded))

    def record(self, published: Published, lease: Lease, *, at: datetime, execution_time: datetime) -> Touch:
        """Publish and record, all or nothing; raise `PublishConflict` when the table is not at its base."""
        with self._database.writing() as connection:
            leases.check(connection, lease)
            if not catalog.publish(connection, self._catalog_name, published.move):
                raise PublishConflict(published.move.target, published.move.base)
            touch = logs.append(connection, lease.environment, _touch_of(published))
            _record_batch(connection, published, lease, at=at, execution_time=execution_time)
            if self._warehouse is not None:
                clear_dropped(self._warehouse, published.move.target)
            place.count_publication(connection, published.move.target, warehouse=self._warehouse)
            self._has_published = True
            return touch

    def drop(self, model: ModelName, lease: Lease, *, table: TableName, pointer: str | None, at: datetime) -> None:
        """Take a table out of the catalog and forget its model, all or nothing; raise `PublishConflict` if it moved."""
        note = Dropped(table=table, environment=lease.environment, model=model, at=int(at.timestamp() * 1000))
        with self._database.writing() as connection:
            leases.check(connection, lease)
            if pointer is not None and catalog.pointer(connection, self._catalog_name, table) != pointer:
                raise PublishConflict(table, pointer)
            forget_table(connection, self._catalog_name, note)
            if self._warehouse is not None:
                write_dropped(self._warehouse, note)
            place.count_publication(connection, table, warehouse=self._warehouse)
            self._has_published = True

    # Slices

    def fail(self, failures: tuple[Failure, ...], lease: Lease) -> None:
        """Record slices whose build failed for good."""
        with self._database.writing() as connection:
            leases.check(connection, lease)
            slices.add_failures(connection, lease.environment, failures)

    def ask_again(self, asked: Mapping[ModelName, tuple[Interval, ...]], lease: Lease) -> None:
        """Forget what failed of models, and request ranges of them, all or nothing."""
        with self._database.writing() as connection:
            leases.check(connection, lease)
            for model, ranges in asked.items():
                slices.forget_failures(connection, lease.environment, model)
                slices.add_request(connection, lease.environment, model=model, asked=ranges)

    # Tidying

    def expire(self, models: frozenset[ModelName], lease: Lease, *, now: datetime) -> None:
        """Drop stages without an intent, history beyond what is kept, and what models that are gone hold back."""
        environment = lease.environment
        with self._database.writing() as connection:
            leases.check(connection, lease)
            catalog.drop_stages(connection, self._catalog_name, live=history.all_intents(connection))
            retention.remove_runs(connection, now - retention.KEPT_FOR)
            retention.remove_batches(connection, now - retention.KEPT_FOR)
            retention.remove_plans(connection)
            logs.trim(connection, environment, retention.forget_readers(connection, environment, models))

    # Looking back

    def save_plan(self, plan: Plan) -> None:
        """Keep a plan for `apply`."""
        with self._database.writing() as connection:
            history.put_plan(connection, plan)

    def load_plan(self, plan_id: PlanId) -> Plan | None:
        """Return a kept plan, by its id or an unambiguous beginning of it."""
        with self._database.reading() as connection:
            return history.find_plan(connection, plan_id)

    def save_graph(self, environment: EnvironmentName, graph: Graph) -> None:
        """Keep the compiled project an environment was last run with; the same one is not written again."""
        with self._database.reading() as connection:
            if history.graph_hash(connection, environment) == content_hash(graph):
                return
        with self._database.writing() as connection:
            history.put_graph(connection, environment, graph)

    def load_graph(self, environment: EnvironmentName) -> Graph | None:
        """Return the compiled project an environment was last run with."""
        with self._database.reading() as connection:
            return history.find_graph(connection, environment)

    def runs(self, *, limit: int) -> tuple[RunRecord, ...]:
        """Return the latest runs, newest first."""
        with self._database.reading() as connection:
            return history.latest_runs(connection, limit)

    def run(self, run_id: RunId) -> RunRecord | None:
        """Return one run."""
        with self._database.reading() as connection:
            return history.find_run(connection, run_id)

    def batches(self, environment: EnvironmentName, model: ModelName, *, limit: int) -> tuple[BatchRecord, ...]:
        """Return the latest batches of a model, newest first."""
        with self._database.reading() as connection:
            return history.latest_batches(connection, environment, model=model, limit=limit)


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
    connection: sqlite3.Connection, published: Published, lease: Lease, *, at: datetime, execution_time: datetime
) -> None:
    """Store everything a published batch changes beside its pointer and its touch."""
    environment, batch = lease.environment, published.batch
    coverage = published.mark.coverage
    logs.replace_record(
        connection,
        environment,
        ModelRecord(model=batch.model, pointer=published.move.pointer, position=published.position, coverage=coverage),
    )
    logs.trim(connection, environment, (TableName(batch.model), *(cursor.input for cursor in coverage.cursors)))
    if batch.mode != "rewrite":
        slices.clear_failures(connection, environment, model=batch.model, built=batch.slices)
        # All rows of a table made again are as young as anybody can have asked for.
        answered = (WHOLE,) if batch.mode == "replace_all" else batch.slices
        slices.clear_requests(connection, environment, model=batch.model, built=answered)
    if batch.is_base_lost:
        slices.forget_failures(connection, environment, batch.model)
    history.drop_intent(connection, batch.commit)
    history.add_batch(
        connection,
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
