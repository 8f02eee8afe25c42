"""What commands answer: the values that `--output json` prints, field for field."""

from collections import Counter
from typing import Any, Literal

from lamina.values.anomaly import Anomaly
from lamina.values.batch import CheckResult
from lamina.values.budget import BudgetBreach
from lamina.values.diagnostic import Diagnostic
from lamina.values.drift import Drift
from lamina.values.failing import Failing
from lamina.values.interval import Interval
from lamina.values.pending import NextDue, Pending
from lamina.values.value import Value

RunStatus = Literal["success", "partial", "failure", "nothing_to_do", "interrupted", "lease_held"]
StepStatus = Literal["completed", "skipped", "failed", "blocked", "waiting", "held", "not_started"]


class Attempt(Value, frozen=True):
    """One try of a step that failed."""

    number: int
    failure_kind: str
    error: str
    seconds: float


class Materialization(Value, frozen=True):
    """What a run did, or did not do, to one model."""

    model: str
    status: StepStatus
    strategy: str
    reason: str
    intervals: tuple[Interval, ...] = ()
    rows_read: int | None = None
    rows_written: int = 0
    rows_inserted: int = 0
    rows_replaced: int = 0
    rows_deleted: int = 0
    rows_carried: int = 0  # by a rebuild, because only the table holds them
    rows_duplicate: int = 0
    rows_rejected: int = 0
    rows_quarantined: int = 0
    rows_closed: int = 0  # of a snapshot: no longer current
    rows_reopened: int = 0  # of a snapshot: keys that had been removed
    rows_unchanged: int = 0  # of a snapshot: the table has them already
    bytes_written: int = 0
    watermark: str | None = None
    snapshot_id: str | None = None
    duration_ms: int = 0
    attempts: tuple[Attempt, ...] = ()
    failure_kind: str | None = None
    error: Diagnostic | None = None
    failing: Failing | None = None  # how often what failed has failed, and when it is tried again
    blocked_by: tuple[str, ...] = ()
    timezone: str = "UTC"  # whose days the intervals are


Detector = Literal["files", "version", "watermark", "checksum", "always"]  # how changes of a source are found


class Detection(Value, frozen=True):
    """What a detector saw in one source: files by their paths, versions of a table that came since, or partitions."""

    input: str
    detector: Detector
    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0  # files or partitions
    omitted: int = 0  # names left out of the lists

    def capped(self, limit: int) -> "Detection":
        """Return it with at most so many names in each list."""
        lists = (self.changed, self.added, self.removed)
        return self.replace(
            changed=self.changed[:limit],
            added=self.added[:limit],
            removed=self.removed[:limit],
            omitted=sum(max(len(names) - limit, 0) for names in lists),
        )


class Propagation(Value, frozen=True):
    """Why a change of an input does or does not reach one of its readers."""

    input: str
    model: str
    decision: Literal["recompute", "skip"]
    reason: str
    columns: tuple[str, ...] = ()


class Concurrency(Value, frozen=True):
    """How many steps ran at once."""

    max: int = 1
    final: int = 1
    throttled: int = 0


class RenamedTable(Value, frozen=True):
    """A table that got the name its model has for it now; nothing of it was rebuilt."""

    model: str
    before: str
    after: str


class RunResult(Value, frozen=True):
    """The document of `run` and `apply`."""

    version: str
    command: str
    status: RunStatus
    exit_code: int
    run_id: str
    environment: str
    plan_id: str | None
    execution_time: str
    duration_ms: int
    tables_built: int = 0
    tables_failed: int = 0
    tables_skipped: int = 0
    tables_blocked: int = 0
    rows_written: int = 0
    concurrency: Concurrency = Concurrency()
    materializations: tuple[Materialization, ...] = ()
    renamed: tuple[RenamedTable, ...] = ()
    detections: tuple[Detection, ...] = ()
    propagation: tuple[Propagation, ...] = ()
    check_results: tuple[CheckResult, ...] = ()
    drift: tuple[Drift, ...] = ()
    anomalies: tuple[Anomaly, ...] = ()
    budget_breaches: tuple[BudgetBreach, ...] = ()
    pending: tuple[Pending, ...] = ()
    next_due: tuple[NextDue, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    resumed_from: str | None = None

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        from lamina.values.html import run_html

        return run_html(self)


Verdict = Literal["equal", "different", "failed", "unverifiable"]


class ModelVerdict(Value, frozen=True):
    """Whether one table equals a recompute over its recorded inputs."""

    model: str
    status: Verdict
    rows_expected: int = 0
    rows_actual: int = 0
    missing: int = 0
    extra: int = 0
    retained: int = 0
    reason: str = ""
    examples: tuple[str, ...] = ()
    is_built: bool = True


def verified(models: tuple[ModelVerdict, ...]) -> Verdict:
    """Return the verdict on several tables: equal only if one was compared, and none differs or is lost."""
    found = {item.status for item in models}
    order: tuple[Verdict, ...] = ("different", "failed", "equal")
    return next((verdict for verdict in order if verdict in found), "unverifiable")


class VerdictCounts(Value, frozen=True):
    """How many tables there are of each verdict; those that are not built are unverifiable."""

    equal: int = 0
    different: int = 0
    unverifiable: int = 0
    failed: int = 0


def counted_verdicts(models: tuple[ModelVerdict, ...]) -> VerdictCounts:
    """Count the verdicts on several tables."""
    found = Counter(item.status for item in models)
    return VerdictCounts(
        equal=found["equal"],
        different=found["different"],
        unverifiable=found["unverifiable"],
        failed=found["failed"],
    )


class VerifyResult(Value, frozen=True):
    """The document of `verify`."""

    status: Verdict
    models: tuple[ModelVerdict, ...]
    counts: VerdictCounts = VerdictCounts()
    diagnostics: tuple[Diagnostic, ...] = ()  # of models that do not compile
    is_strict: bool = False  # nothing that could be compared is a failure

    @property
    def exit_code(self) -> int:
        """Return 1 for a difference; where models do not compile or tables are lost, 2 if others are equal, else 1."""
        if self.status == "different" or (self.status == "unverifiable" and self.is_strict):
            return 1
        if self.status != "failed" and not any(item.severity == "error" for item in self.diagnostics):
            return 0
        return 2 if any(item.status == "equal" for item in self.models) else 1

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        from lamina.values.html import verify_html

        return verify_html(self)


class NotChecked(Value, frozen=True):
    """A model whose table `check` could not look at, and why."""

    model: str
    reason: str
    is_fault: bool = True  # a table that is not built yet is none


class CheckReport(Value, frozen=True):
    """The document of `check`."""

    check_results: tuple[CheckResult, ...]
    not_checked: tuple[NotChecked, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()  # of models that do not compile

    @property
    def status(self) -> Literal["passed", "failed"]:
        """Return whether no check of severity error has failed; one that cannot run has."""
        is_failed = any(not item.passed and item.severity == "error" for item in self.check_results)
        is_failed |= any(item.is_fault for item in self.not_checked)
        return "failed" if is_failed or any(item.severity == "error" for item in self.diagnostics) else "passed"

    @property
    def exit_code(self) -> int:
        """Return 1 where a check of severity error has failed."""
        return 1 if self.status == "failed" else 0


class CheckLine(Value, frozen=True):
    """What one check said of one batch, in `history --checks`."""

    check: str
    type: str
    severity: str
    run_id: str
    at: str
    passed: bool
    observed: float | int | str | None = None
    expected: float | int | str | None = None
    rows_failed: int | None = None
    rows_quarantined: int = 0
    intervals: tuple[Interval, ...] = ()


Standing = Literal["current", "stale", "waiting", "blocked", "held", "failed", "not_built"]


class ModelStatus(Value, frozen=True):
    """The state of one model: what is built, what is stale and why, what failed."""

    model: str
    strategy: str
    status: Standing
    reason: str
    built: tuple[Interval, ...] = ()
    stale: tuple[Interval, ...] = ()
    watermark: str | None = None
    failing: Failing | None = None  # how often what failed has failed, and when it is tried again
    timezone: str = "UTC"  # whose days the ranges are


class StatusResult(Value, frozen=True):
    """The document of `status`."""

    environment: str
    models: tuple[ModelStatus, ...]
    next_due: tuple[NextDue, ...] = ()
    pending: tuple[Pending, ...] = ()  # what the next run builds again, or leaves waiting or held
    diagnostics: tuple[Diagnostic, ...] = ()  # of models that do not compile

    @property
    def exit_code(self) -> int:
        """Return what a run would end with: 2 where some models failed or are blocked, 1 where all are."""
        broken = sum(item.status in ("failed", "blocked") for item in self.models)
        if not broken:
            # Errors that belong to no model stop them all.
            return 1 if any(item.severity == "error" for item in self.diagnostics) else 0
        return 1 if broken == len(self.models) else 2

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        from lamina.values.html import status_html

        return status_html(self)


class DropResult(Value, frozen=True):
    """The document of `drop`: what was dropped, and what of it comes back."""

    model: str
    table: str
    loss: str  # in words
    readers: tuple[str, ...] = ()  # built models that read it
    bytes: int | None = None
    files: int | None = None


class BuiltInterval(Value, frozen=True):
    """A built range and the batch that built it last, where history still knows it."""

    start: str | None
    end: str | None
    run_id: str | None = None
    execution_time: str | None = None
    built_at: str | None = None


class RangeReason(Value, frozen=True):
    """A range and what is to be said of it."""

    start: str | None = None  # None where a whole table has no bound
    end: str | None = None
    reason: str = ""
    failing: Failing | None = None  # of a failed range: how often, and when it is tried again
    rows_on_time: int | None = None  # of a pending or waiting range: rows of its inputs, at most; None: not counted
    rows_late: int | None = None
    oldest_load: str | None = None  # of those rows, where known


class IntervalsResult(Value, frozen=True):
    """The document of `intervals`."""

    model: str
    axis: Literal["event_time"]
    coverage: tuple[BuiltInterval, ...]
    partial: tuple[RangeReason, ...]
    missing: tuple[RangeReason, ...]
    pending: tuple[RangeReason, ...]
    failed: tuple[RangeReason, ...]
    waiting: tuple[RangeReason, ...]
    surplus: tuple[RangeReason, ...] = ()  # built ranges outside the model's start and end
    timezone: str = "UTC"  # whose days the ranges are
    diagnostics: tuple[Diagnostic, ...] = ()  # why it does not compile, or why nothing does

    @property
    def exit_code(self) -> int:
        """Return 1 where the model cannot be built as the project is now."""
        return 1 if any(item.severity == "error" for item in self.diagnostics) else 0


class RunLine(Value, frozen=True):
    """One run in `history`."""

    run_id: str
    command: str
    status: str
    started_at: str
    finished_at: str | None
    tables_built: int = 0
    tables_failed: int = 0
    rows_written: int = 0
    duration_ms: int = 0


class QueryColumn(Value, frozen=True):
    """A column of a query's answer."""

    name: str
    type: str


class QueryResult(Value, frozen=True):
    """The document of `query` and `show`; cells as JSON can hold them."""

    columns: tuple[QueryColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool = False  # there are more rows than asked for

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        from lamina.values.html import rows_html

        return rows_html(self)
