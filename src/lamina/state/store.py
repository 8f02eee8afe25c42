"""The state store on a SQL database that also holds the catalog: a publish and its records are one transaction."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lamina.compiler.graph import CompiledModel, Graph
from lamina.planner.naming import possible_renames
from lamina.state import history, leases, logs, place, promoted, retention, slices
from lamina.state.dialect import StateDatabase, StateTransaction
from lamina.state.dropped import Dropped, clear_dropped, forget_table, write_dropped
from lamina.state.errors import PublishConflict
from lamina.state.port import (
    NO_MOVES,
    NO_NAMES,
    BatchRecord,
    CheckRecord,
    Lease,
    ModelRecord,
    Origin,
    Promotion,
    RunRecord,
    StateView,
)
from lamina.state.renamed import rename_models
from lamina.state.scope import Scope
from lamina.values.batch import Move, Published
from lamina.values.facts import Failure, Intent
from lamina.values.interval import WHOLE, Interval, subtract
from lamina.values.names import CommitId, EnvironmentName, ModelName, PlanId, RunId, TableName, without_quarantine
from lamina.values.plan import Plan, Rename
from lamina.values.project_text import ProjectText
from lamina.values.touch import Touch
from lamina.warehouse.catalog.port import Catalog, stage_of


class SqlStore:
    """State in the catalog's own database; safe to share between threads and processes."""

    def __init__(
        self,
        database: StateDatabase,
        catalog: Catalog,
        *,
        project: str,
        warehouse: Path | None = None,
        is_private: bool = False,
        opened_at: datetime | None = None,
    ) -> None:
        self._database = database
        self._catalog = catalog
        self._project = project
        self._warehouse = warehouse  # where publications are counted beside the tables; None: nowhere
        self._has_published = False
        with self._database.reading() as transaction:
            self._identity = place.read_place(transaction).identity
            is_unclaimed = place.needs_claim(transaction, project, is_private=is_private)
        if is_unclaimed:
            with self._database.writing() as transaction:
                place.claim(transaction, project, is_private=is_private, now=opened_at or datetime.now(UTC))

    @property
    def identity(self) -> str:
        """The store's own id, part of every mark."""
        return self._identity

    @property
    def former_projects(self) -> tuple[str, ...]:
        """The names that the project of a state file of its own had before."""
        with self._database.reading() as transaction:
            found = place.read_place(transaction)
        return found.former if found.owner == self._project else ()

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
        scope = self._scope(environment)
        with self._database.reading() as transaction:
            return StateView(
                models=logs.read_records(transaction, scope),
                touches=logs.read_logs(transaction, scope),
                failures=slices.read_failures(transaction, scope),
                requests=slices.read_requests(transaction, scope),
                promoted=promoted.read_promoted(transaction, scope),
            )

    def _scope(self, environment: EnvironmentName) -> Scope:
        return Scope(self._project, environment)

    # Leases

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
        scope = self._scope(environment)
        wanted = Lease(scope, holder, token=above, expires_at=now + ttl, process=process, name=name)
        with self._database.writing() as transaction:
            return leases.take(transaction, wanted, now=now)

    def renew_lease(self, lease: Lease, *, now: datetime, ttl: timedelta) -> Lease:
        """Extend a lease that is still ours; raise `LeaseLost` otherwise."""
        with self._database.writing() as transaction:
            return leases.renew(transaction, lease, now=now, ttl=ttl)

    def current_lease(self, environment: EnvironmentName) -> Lease | None:
        """Return the lease that is held, whether it expired or not."""
        with self._database.reading() as transaction:
            return leases.current(transaction, self._scope(environment))

    def break_lease(self, lease: Lease) -> None:
        """Take a lease away from its holder, who is known to be gone; do nothing if it changed hands."""
        self.release_lease(lease)

    def release_lease(self, lease: Lease) -> None:
        """Give the lease back; a lease already lost is left alone."""
        with self._database.writing() as transaction:
            leases.release(transaction, lease)

    # A run and its batches

    def begin(self, run: RunRecord, lease: Lease, *, now: datetime) -> None:
        """Record the start of a run."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            history.close_runs(transaction, lease.scope, held=leases.held_tokens(transaction, lease.scope, now=now))
            history.put_run(transaction, lease.scope, run)

    def finish(self, run: RunRecord) -> None:
        """Record the end of a run."""
        with self._database.writing() as transaction:
            history.put_run(transaction, self._scope(run.environment), run)

    def intend(self, intent: Intent, lease: Lease) -> None:
        """Record a batch about to be staged."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            history.add_intent(transaction, lease.scope, intent)

    def abandon(self, commit: CommitId) -> None:
        """Forget an intent whose stage is gone."""
        with self._database.writing() as transaction:
            history.drop_intent(transaction, commit)

    def intents(self, environment: EnvironmentName) -> tuple[Intent, ...]:
        """Return the intents of an environment that were neither recorded nor abandoned."""
        with self._database.reading() as transaction:
            return history.read_intents(transaction, self._scope(environment))

    def held_tokens(self, environment: EnvironmentName, *, now: datetime) -> frozenset[int]:
        """Return the tokens of the leases of an environment that are held: intents and runs of others are over."""
        with self._database.reading() as transaction:
            return leases.held_tokens(transaction, self._scope(environment), now=now)

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
            scope = self._scope(environment)
            for touch in touches:
                logs.append(transaction, scope, touch, run_id=lease.holder)
            for record in models:
                logs.replace_record(transaction, scope, record, run_id=lease.holder)
            folded = (cursor.input for record in models for cursor in record.coverage.cursors)
            logs.trim(transaction, scope, (*(touch.table for touch in touches), *folded))

    def record(
        self,
        published: Published,
        lease: Lease,
        *,
        at: datetime,
        execution_time: datetime,
        promotion: Promotion | None = None,
    ) -> Touch:
        """Publish and record, all or nothing; raise `PublishConflict` when a table is not at its base."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            refused = self._catalog.publish(transaction, published.moves)
            if refused is not None:
                raise PublishConflict(refused.target, refused.base)
            touch = logs.append(transaction, lease.scope, _touch_of(published), run_id=lease.holder)
            _record_batch(transaction, published, lease, at=at, execution_time=execution_time)
            if promotion is not None:
                promoted.promote(transaction, lease.scope, promotion, run_id=lease.holder)
            # Beside the tables they are known by their folders: a name may be another one in an older copy.
            folders = tuple(move.folder for move in published.moves)
            if self._warehouse is not None:
                for folder in folders:
                    clear_dropped(self._warehouse, folder)
            place.count_publication(transaction, folders, warehouse=self._warehouse)
            self._has_published = True
            return touch

    def define(self, move: Move, commit: CommitId, lease: Lease) -> None:
        """Publish a view, which has no rows to record; raise `PublishConflict` when it is not at its base."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            if self._catalog.publish(transaction, (move,)) is not None:
                raise PublishConflict(move.target, move.base)
            history.drop_intent(transaction, commit)

    def undefine(self, view: TableName, pointer: str, lease: Lease) -> None:
        """Take a view out of the catalog; raise `PublishConflict` if it was replaced meanwhile."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            if self._catalog.views(transaction).get(view) != pointer:
                raise PublishConflict(view, pointer)
            self._catalog.drop(transaction, view)

    def rename(
        self,
        renames: tuple[Rename, ...],
        lease: Lease,
        *,
        models: Mapping[ModelName, ModelName] = NO_NAMES,
        moves: Mapping[TableName, tuple[str, str]] = NO_MOVES,
    ) -> tuple[Rename, ...]:
        """Give models and tables other names, all in one moment; return which tables got theirs."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            rename_models(transaction, lease.scope, models, run_id=lease.holder)
            rows = self._catalog.pointers(transaction)
            done = possible_renames(renames, {**rows, **self._catalog.views(transaction)})
            # Another writer may have moved a table meanwhile: its mark stays as it was.
            marked = {before: now for table, (before, now) in moves.items() if rows.get(table) == before}
            for item in done:
                self._catalog.drop(transaction, item.before)
            for item in done:
                pointer = rows[item.before]
                self._catalog.register(transaction, item.after, pointer=marked.get(pointer, pointer))
            for record in logs.read_records(transaction, lease.scope).values() if marked else ():
                if record.pointer in marked:
                    moved = record.replace(pointer=marked[record.pointer])
                    logs.replace_record(transaction, lease.scope, moved, run_id=lease.holder)
            # Not counted as a publication: in an older copy the table is found under its old name, and renamed again.
            self._has_published = True
            return done

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
        """Take a table out of the catalog and forget its model, all or nothing; raise `PublishConflict` if it moved."""
        note = Dropped(
            table=table,
            environment=lease.environment,
            model=model,
            at=int(at.timestamp() * 1000),
            project=self._project,
            home=home,
            beside=beside,
            token=lease.token,
        )
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            if pointer is not None and self._catalog.pointer(transaction, table) != pointer:
                raise PublishConflict(table, pointer)
            forget_table(transaction, self._catalog, note, tables=(table, *beside), project=self._project)
            if self._warehouse is not None:
                write_dropped(self._warehouse, note)
            place.count_publication(transaction, note.folders, warehouse=self._warehouse)
            self._has_published = True

    # Slices

    def fail(self, failures: tuple[Failure, ...], lease: Lease, checks: tuple[CheckRecord, ...] = ()) -> None:
        """Record slices whose build failed for good, and what checks said of their rows."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            slices.add_failures(transaction, lease.scope, failures)
            history.add_checks(transaction, lease.scope, checks)

    def ask_again(self, asked: Mapping[ModelName, tuple[Interval, ...]], lease: Lease) -> None:
        """Let what failed of models be tried now, and request ranges of them, all or nothing."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            for model, ranges in asked.items():
                slices.release_failures(transaction, lease.scope, model)
                slices.add_request(transaction, lease.scope, model=model, asked=ranges, run_id=lease.holder)

    # Tidying

    def expire(self, models: frozenset[ModelName], lease: Lease, *, now: datetime) -> None:
        """Drop stages without an intent, history beyond what is kept, and what models that are gone hold back."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            live = history.all_intents(transaction)
            for commit in self._catalog.stages(transaction):
                if without_quarantine(commit) not in live:
                    self._catalog.drop(transaction, stage_of(commit))
            retention.remove_runs(transaction, now - retention.KEPT_FOR)
            retention.remove_batches(transaction, now - retention.KEPT_FOR)
            retention.remove_checks(transaction)
            retention.remove_plans(transaction, lease.scope)
            logs.trim(transaction, lease.scope, retention.forget_readers(transaction, lease.scope, models))

    # Looking back

    def save_plan(self, plan: Plan) -> None:
        """Keep a plan for `apply`."""
        with self._database.writing() as transaction:
            history.put_plan(transaction, self._scope(plan.environment), plan, run_id=None)

    def begin_plan(
        self, plan: Plan, graph: Graph, lease: Lease, *, asked: Mapping[ModelName, tuple[Interval, ...]]
    ) -> None:
        """Keep the plan that a run begins, and request what was asked for: a run that dies is remembered whole."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            history.put_plan(transaction, lease.scope, plan, run_id=lease.holder)
            promoted.keep_frame(transaction, lease.scope, graph)
            for model, ranges in asked.items():
                slices.add_request(transaction, lease.scope, model=model, asked=ranges, run_id=lease.holder)

    def load_plan(self, environment: EnvironmentName, plan_id: PlanId) -> Plan | None:
        """Return a kept plan, by its id or an unambiguous beginning of it."""
        with self._database.reading() as transaction:
            return history.find_plan(transaction, self._scope(environment), plan_id)

    def promote(self, graph: Graph, lease: Lease, *, waiting: frozenset[ModelName], origin: Origin) -> None:
        """Make a whole project the promoted version, but for models that wait to be built by their new code."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            promoted.promote_all(transaction, lease.scope, graph, waiting=waiting, origin=origin, run_id=lease.holder)

    def recompiled(self, models: tuple[CompiledModel, ...], lease: Lease, *, compiler: str) -> None:
        """Replace promoted models by what another compiler makes of their text."""
        with self._database.writing() as transaction:
            leases.check(transaction, lease)
            for model in models:
                promoted.recompile(transaction, lease.scope, model, compiler=compiler)

    def find_text(self, digest: str) -> ProjectText | None:
        """Return the text that a promoted model came from."""
        with self._database.reading() as transaction:
            return promoted.find_text(transaction, digest)

    def load_graph(self, environment: EnvironmentName) -> Graph | None:
        """Return the promoted project of an environment, as far as this compiler can read it."""
        with self._database.reading() as transaction:
            return promoted.find_graph(transaction, self._scope(environment))

    def runs(self, environment: EnvironmentName, *, limit: int) -> tuple[RunRecord, ...]:
        """Return the latest runs, newest first."""
        with self._database.reading() as transaction:
            return history.latest_runs(transaction, self._scope(environment), limit)

    def run(self, environment: EnvironmentName, run_id: RunId) -> RunRecord | None:
        """Return one run."""
        with self._database.reading() as transaction:
            return history.find_run(transaction, self._scope(environment), run_id)

    def batches(self, environment: EnvironmentName, model: ModelName, *, limit: int) -> tuple[BatchRecord, ...]:
        """Return the latest batches of a model, newest first."""
        with self._database.reading() as transaction:
            return history.latest_batches(transaction, self._scope(environment), model=model, limit=limit)

    def checks(self, environment: EnvironmentName, model: ModelName, *, limit: int) -> tuple[CheckRecord, ...]:
        """Return the latest results of each check of a model, by the checks' names, newest first."""
        with self._database.reading() as transaction:
            return history.latest_checks(transaction, self._scope(environment), model=model, limit=limit)


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
        rows=published.rows,
    )


def _record_batch(
    transaction: StateTransaction, published: Published, lease: Lease, *, at: datetime, execution_time: datetime
) -> None:
    """Store everything a published batch changes beside its pointer and its touch."""
    scope, batch = lease.scope, published.batch
    coverage = published.mark.coverage
    logs.replace_record(
        transaction,
        scope,
        ModelRecord(model=batch.model, pointer=published.move.pointer, position=published.position, coverage=coverage),
        run_id=lease.holder,
    )
    logs.trim(transaction, scope, (TableName(batch.model), *(cursor.input for cursor in coverage.cursors)))
    if batch.mode != "rewrite":
        slices.clear_failures(transaction, scope, model=batch.model, built=batch.slices)
        # All rows of a table made again are as young as any request can want them.
        # Those that it carries over are not.
        others = subtract((WHOLE,), batch.carried) if batch.mode == "replace_all" else ()
        slices.clear_requests(transaction, scope, model=batch.model, built=(*batch.slices, *others))
    if batch.is_base_lost:
        slices.forget_failures(transaction, scope, batch.model)
    history.drop_intent(transaction, batch.commit)
    checked = tuple(CheckRecord(run_id=lease.holder, at=at, result=result) for result in published.checks)
    history.add_checks(transaction, scope, checked)
    history.add_batch(
        transaction,
        scope,
        BatchRecord(
            commit=batch.commit,
            run_id=lease.holder,
            model=batch.model,
            slices=batch.slices,
            rows_written=published.counts.written,
            duration_ms=published.duration_ms,
            published_at=at,
            execution_time=execution_time,
            size=published.size,
        ),
    )
