"""The project a caller holds: opened once, with one method for each command; the command line holds the same."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Unpack, overload

from lamina.api.opened import Opened
from lamina.api.project_root import project_root
from lamina.values.event import Event

# Each verb imports its own file: looking at a project needs neither state nor tables.
if TYPE_CHECKING:
    from lamina.api.asking import PlanFlags, RunFlags
    from lamina.api.stopping import Stop
    from lamina.compiler.lineage import Lineage
    from lamina.compiler.report import CompileReport, Explanation, ListedModel
    from lamina.planner.preview import Rendered
    from lamina.values.custody import StateCheck, StateRebuild, StateRelocation
    from lamina.values.freshness import FreshnessResult
    from lamina.values.pending import PendingResult
    from lamina.values.planned import Planned
    from lamina.values.result import (
        CheckLine,
        CheckReport,
        DropResult,
        IntervalsResult,
        QueryResult,
        RunLine,
        RunResult,
        StatusResult,
        VerifyResult,
    )
    from lamina.values.table_diff import DiffResult
    from lamina.values.tested import UnitTestReport


def open_project(
    folder: str | os.PathLike[str] | None = None,
    *,
    settings: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    emit: Callable[[Event], None] | None = None,
) -> "Project":
    """Open the project in a folder, or the nearest one at or above the current folder.

    `settings`, such as `{"run.retries": "0"}`, come before those of the environment and of `lamina.toml`; `variables`
    take the place of the environment's; `emit` is called with every event of the work.
    """
    if settings:
        from lamina.api.settings import refuse_unknown

        refuse_unknown(settings)
    return Project(
        project_root(None if folder is None else os.fspath(folder), os.getcwd()),
        variables=os.environ if variables is None else variables,
        overrides=settings or {},
        emit=emit or _silent,
    )


class Project(Opened):
    """A project as it was when it was opened; each verb opens state and tables, and closes them when it is done."""

    def __repr__(self) -> str:
        return f"Project({self.root!r})"

    # Understand it

    def compile(self) -> "CompileReport":
        """Return the models, and everything that is wrong with the project."""
        from lamina.api.inspect import check_project

        return check_project(self)

    def list(self, select: str | Sequence[str] = (), *, exclude: str | Sequence[str] = ()) -> tuple["ListedModel", ...]:
        """Return the models of a selection, in the order they are built."""
        from lamina.api.asking import names_of
        from lamina.api.inspect import list_models

        return list_models(self, include=names_of(select), exclude=names_of(exclude))

    def explain(self, model: str, *, execution_time: str | datetime | None = None) -> "Explanation":
        """Return what a model does, reads and proves; with a time, also what a run then would do with it and why."""
        from lamina.api.asking import time_of
        from lamina.api.inspect import explain_model

        if (time := time_of(execution_time)) is None:
            return explain_model(self, model)
        from lamina.api.at_time import explain_at

        return explain_at(self, model, execution_time=time)

    def render(
        self, model: str, *, partition: str | None = None, execution_time: str | datetime | None = None
    ) -> "Rendered":
        """Return the query of a model as it would run for one partition; without a key, for its first one."""
        from lamina.api.asking import time_of
        from lamina.api.inspect import render_model

        time = time_of(execution_time) or datetime.now(UTC)
        return render_model(self, model, partition=partition, execution_time=time)

    def lineage(self, target: str) -> "Lineage":
        """Return what a model, or a column written `model.column`, is made of, and what is made of it."""
        from lamina.api.inspect import trace_lineage

        return trace_lineage(self, target)

    # Read its tables

    def query(self, sql: str, *, limit: int = 100) -> "QueryResult":
        """Run one query over models and sources, by their names, and return its rows."""
        from lamina.api.query import query_tables

        return query_tables(self, sql, limit=limit)

    def show(self, model: str, *, limit: int = 20) -> "QueryResult":
        """Return some rows of a model's table."""
        from lamina.api.query import show_model

        return show_model(self, model, limit=limit)

    def diff(
        self, left: str, right: str, *, key: str | Sequence[str] = (), limit: int = 5, exit_code: bool = False
    ) -> "DiffResult":
        """Compare two tables, or versions such as `orders@previous`, row by row: by a key, or as bags of rows."""
        from lamina.api.asking import names_of
        from lamina.api.diff import diff_project_tables

        return diff_project_tables(self, left, right, keys=names_of(key), limit=limit, is_strict=exit_code)

    # Build its tables

    def plan(self, **flags: "Unpack[PlanFlags]") -> "Planned":
        """Return what a run would do and why, and keep it for `apply`: no table is touched, no Spark is started."""
        from lamina.api.asking import plan_ask
        from lamina.api.run import plan_project

        return plan_project(self, plan_ask(flags))

    def apply(
        self, plan_id: str, *, parallel: int | None = None, fail_fast: bool = False, stop: "Stop | None" = None
    ) -> "RunResult":
        """Do what a plan lists, or refuse it and say what changed since it was made."""
        from lamina.api.asking import Ask
        from lamina.api.run import apply_plan
        from lamina.api.stopping import Stop

        return apply_plan(self, plan_id, Ask(parallel=parallel, is_fail_fast=fail_fast), stop=stop or Stop())

    def run(self, *, stop: "Stop | None" = None, **flags: "Unpack[RunFlags]") -> "RunResult":
        """Build what new data or new code made stale, and only that."""
        from lamina.api.asking import run_ask
        from lamina.api.run import run_project
        from lamina.api.stopping import Stop

        return run_project(self, run_ask(flags), stop=stop or Stop())

    def retry(self, *models: str, stop: "Stop | None" = None) -> "RunResult":
        """Forget that models failed, and run them again with what they read."""
        from lamina.api.run import retry_models
        from lamina.api.stopping import Stop

        return retry_models(self, models, stop=stop or Stop())

    def accept(self, model: str) -> str:
        """Keep the rows that another writer left in a model's table, and build on them; return its name."""
        from lamina.api.tables import accept_writes

        return accept_writes(self, model)

    def drop(
        self, model: str, *, agrees: "Callable[[DropResult], bool]" = lambda _: True, force: bool = False
    ) -> "DropResult":
        """Drop a model's table, its files and its record; `agrees` can refuse when it sees what is lost."""
        from lamina.api.tables import drop_model

        return drop_model(self, model, is_forced=force, agrees=agrees)

    # Say how it is

    def status(
        self,
        select: str | Sequence[str] = (),
        *,
        exclude: str | Sequence[str] = (),
        execution_time: str | datetime | None = None,
    ) -> "StatusResult":
        """Return which models are current, stale, waiting or failed, and why."""
        from lamina.api.asking import names_of, time_of
        from lamina.api.report import project_status

        return project_status(
            self, include=names_of(select), exclude=names_of(exclude), execution_time=time_of(execution_time)
        )

    def pending(
        self,
        select: str | Sequence[str] = (),
        *,
        exclude: str | Sequence[str] = (),
        execution_time: str | datetime | None = None,
    ) -> "PendingResult":
        """Return everything that is not built or not read yet: the ranges of each model, each with its reason."""
        from lamina.api.asking import names_of, time_of
        from lamina.api.pending import project_pending

        return project_pending(
            self, include=names_of(select), exclude=names_of(exclude), execution_time=time_of(execution_time)
        )

    def freshness(
        self,
        select: str | Sequence[str] = (),
        *,
        exclude: str | Sequence[str] = (),
        execution_time: str | datetime | None = None,
    ) -> "FreshnessResult":
        """Return how old the newest rows are of models and sources that have `[freshness]`."""
        from lamina.api.asking import names_of, time_of
        from lamina.api.freshness import project_freshness

        return project_freshness(
            self, include=names_of(select), exclude=names_of(exclude), execution_time=time_of(execution_time)
        )

    def intervals(self, model: str, *, execution_time: str | datetime | None = None) -> "IntervalsResult":
        """Return the ranges of a model: built, missing, pending, failed, waiting."""
        from lamina.api.asking import time_of
        from lamina.api.report import model_intervals

        return model_intervals(self, model, execution_time=time_of(execution_time))

    @overload
    def history(self, *, limit: int = 20, checks: None = None) -> tuple["RunLine", ...]: ...

    @overload
    def history(self, *, limit: int = 20, checks: str) -> tuple["CheckLine", ...]: ...

    def history(self, *, limit: int = 20, checks: str | None = None) -> tuple["RunLine", ...] | tuple["CheckLine", ...]:
        """Return the latest runs, newest first; with the name of a model, the latest results of each of its checks."""
        from lamina.api.report import check_history, project_history

        return project_history(self, limit=limit) if checks is None else check_history(self, checks, limit=limit)

    def run_info(self, run_id: str = "latest") -> "RunResult":
        """Return what an earlier run did."""
        from lamina.api.report import run_info

        return run_info(self, run_id)

    def check(self, select: str | Sequence[str] = (), *, exclude: str | Sequence[str] = ()) -> "CheckReport":
        """Run the checks of models over their published tables; nothing is built, and no state is written."""
        from lamina.api.asking import names_of
        from lamina.api.check import check_tables

        return check_tables(self, include=names_of(select), exclude=names_of(exclude))

    # Prove it, and look after its state

    def verify(
        self,
        select: str | Sequence[str] = (),
        *,
        exclude: str | Sequence[str] = (),
        sample: bool = False,
        strict: bool = False,
    ) -> "VerifyResult":
        """Recompute tables over the inputs they consumed, and compare row by row."""
        from lamina.api.asking import names_of
        from lamina.api.verify import verify_project

        return verify_project(
            self, include=names_of(select), exclude=names_of(exclude), is_sample=sample, is_strict=strict
        )

    def test(
        self,
        select: str | Sequence[str] = (),
        *,
        exclude: str | Sequence[str] = (),
        create: str | None = None,
        partition: str | None = None,
    ) -> "UnitTestReport":
        """Run the unit tests of models; with `create`, write one for that model from current rows and run it."""
        from lamina.api.asking import names_of
        from lamina.api.created_test import create_unit_test
        from lamina.api.unit_tests import run_unit_tests

        if create is not None:
            return create_unit_test(self, create, partition=partition)
        return run_unit_tests(self, include=names_of(select), exclude=names_of(exclude))

    def state_check(self) -> "StateCheck":
        """Compare what the state records about every model with what its table says."""
        from lamina.api.upkeep import check_state

        return check_state(self)

    def state_rebuild(self) -> "StateRebuild":
        """Restore the state from its newest good copy and the marks in the tables."""
        from lamina.api.upkeep import rebuild_state

        return rebuild_state(self)

    def state_relocate(self) -> "StateRelocation":
        """After the project was moved or copied, rewrite the paths of its tables."""
        from lamina.api.upkeep import relocate_state

        return relocate_state(self)


def _silent(_: Event) -> None:
    """Pass nothing on."""
