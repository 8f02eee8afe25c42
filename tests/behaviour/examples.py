"""Batches, records and runs as small as they can be, for tests of the ports."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from lamina.executor.runtime import Compiling
from lamina.state.port import Lease, Origin, RunRecord, StateStore
from lamina.state.sqlite import Database
from lamina.state.store import SqlStore
from lamina.values.batch import Batch, CheckResult, Counts, Move, Published
from lamina.values.coverage import Coverage, Cursor, Mark, Segment
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
from lamina.values.plan import Assumed, Plan, Rename, Selection
from lamina.values.project_text import project_text
from lamina.values.row_counts import RowCounts
from lamina.values.touch import Nothing, Touch
from lamina.warehouse.catalog.jdbc import JdbcCatalog
from lamina.warehouse.catalog.port import stage_of

PROJECT = "shop"
PROD = EnvironmentName("prod")
NOW = datetime(2026, 4, 7, 12, tzinfo=UTC)
TTL = timedelta(seconds=60)
ORDERS = ModelName("sales.orders")
RAW = TableName("raw.orders")
CATALOG = JdbcCatalog("lake")


NO_COMPILING = Compiling(origin=Origin("test", project_text(())), compile=lambda _: None)


def store_at(path: Path, *, project: str = PROJECT) -> SqlStore:
    """Open the store of a file, which holds the catalog too."""
    return SqlStore(Database(path), CATALOG, project=project)


def days(first: int, last: int) -> Interval:
    """Return the days from the first up to, not with, the last of April 2026."""
    return Interval(datetime(2026, 4, first, tzinfo=UTC), datetime(2026, 4, last, tzinfo=UTC))


def lease_of(store: StateStore, holder: str = "run-1", *, now: datetime = NOW) -> Lease:
    """Take the lease of production."""
    return store.take_lease(PROD, RunId(holder), process="", now=now, ttl=TTL, above=0)


def touch_of(table: str, position: str, *, parent: str | None = None) -> Touch:
    """Return a touch that tells nothing but the step."""
    before = None if parent is None else Position(parent)
    return Touch(TableName(table), Position(position), before, extent=Nothing())


def coverage_of(*spans: Interval, cursor: Cursor | None = None) -> Coverage:
    """Return clean coverage of some spans."""
    segments = tuple(Segment(span, Fingerprint("f1")) for span in spans)
    return Coverage(segments=segments, cursors=() if cursor is None else (cursor,))


def mark_of(commit: str, coverage: Coverage, *, token: int = 1) -> Mark:
    """Return the mark of a batch."""
    return Mark(
        commit=commit,
        run_id="run-1",
        token=token,
        project="shop",
        environment="prod",
        store="here",
        model=ORDERS,
        fingerprint=Fingerprint("f1"),
        slices=tuple(segment.interval for segment in coverage.segments),
        pins={},
        coverage=coverage,
    )


def published_of(
    commit: str, *, base: str | None, pointer: str, coverage: Coverage | None = None, span: Interval | None = None
) -> Published:
    """Return a batch of `sales.orders` that is ready to be recorded."""
    built = span or days(1, 2)
    covered = coverage or coverage_of(built)
    batch = Batch(
        commit=CommitId(commit),
        model=ORDERS,
        mode="replace_slices",
        slices=(built,),
        pins=(),
        base=base,
        parameters={},
    )
    return Published(
        batch=batch,
        position=Position(pointer),
        parent=None if base is None else Position(base),
        extent=Nothing(),
        is_append=False,
        has_new_rows=False,
        refinements=(),
        rows=RowCounts(on_time=3),
        counts=Counts(written=3, inserted=3),
        mark=mark_of(commit, covered),
        move=Move(TableName(ORDERS), base=base, pointer=pointer, stage=stage_of(CommitId(commit))),
    )


def intent_of(commit: str) -> Intent:
    """Return the intent of a batch."""
    return Intent(
        commit=CommitId(commit),
        run_id=RunId("run-1"),
        model=ORDERS,
        target=TableName(ORDERS),
        base=None,
        token=1,
        pins={},
    )


def failure_of(span: Interval) -> Failure:
    """Return a failure of a slice of `sales.orders`."""
    return Failure(
        model=ORDERS,
        interval=span,
        fingerprint=Fingerprint("f1"),
        pins={RAW: Position("1")},
        kind="data_rejected",
        message="two rows are null",
        attempts=1,
        first_seen=NOW,
        run_id=RunId("run-1"),
    )


def run_of(run_id: str, *, status: str = "running") -> RunRecord:
    """Return a run."""
    return RunRecord(
        run_id=RunId(run_id),
        environment=PROD,
        command="run",
        status=status,
        started_at=NOW,
        execution_time=NOW,
    )


def plan_of(plan_id: str) -> Plan:
    """Return a plan that does nothing."""
    return Plan(
        plan_id=PlanId(plan_id),
        environment=PROD,
        execution_time=NOW,
        selection=Selection(),
        actions=(),
        assumed=Assumed(fingerprints={}, pins={}, bases={}),
    )


def check_of(name: str) -> CheckResult:
    """Return a check that passed."""
    return CheckResult(
        model=ORDERS,
        name=name,
        type="not_null",
        column="id",
        severity="error",
        passed=True,
        observed=0,
        expected=0,
        rows_failed=0,
        scope="batch",
    )


def rename_of(before: str, after: str) -> Rename:
    """Return what gives a table another name."""
    return Rename(model=ORDERS, before=TableName(before), after=TableName(after), reason="")
