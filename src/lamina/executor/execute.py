"""Execute a plan: every step starts when its own inputs are done; a failure withholds its descendants only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event as Signal
from threading import Lock

from lamina.compiler.graph import CompiledModel, Graph
from lamina.errors import LaminaError
from lamina.executor.internal import InternalFailure
from lamina.executor.publish import Writer
from lamina.executor.queue import work_through
from lamina.executor.report import materialization_of
from lamina.executor.retry import RetryBudget
from lamina.executor.run_state import RunState
from lamina.executor.step import Bounds, Step, StepReport
from lamina.executor.view_step import define_view
from lamina.state.errors import LeaseLost
from lamina.values.event import RunStarted
from lamina.values.facts import ViewFacts
from lamina.values.interval import WHOLE
from lamina.values.names import ModelName
from lamina.values.plan import Action, Block, Build, Plan, Rebuild, Rename

RETRY_BUDGET = 20
NO_VIEWS: Mapping[ModelName, ViewFacts] = {}


@dataclass(frozen=True)
class Limits:
    """How many steps at once, how often each is tried, and whether the first failure ends the run."""

    threads: int
    retries: int
    is_fail_fast: bool
    may_rebuild: bool = True  # build a whole table where drift demands it, beyond what the plan foresaw


class Execution:
    """The steps of one plan and what they reported."""

    def __init__(
        self,
        writer: Writer,
        graph: Graph,
        limits: Limits,
        *,
        plan: Plan,
        state: RunState,
        stop: Signal,
        views: Mapping[ModelName, ViewFacts] = NO_VIEWS,
    ) -> None:
        self._writer = writer
        self._graph = graph
        self._views = views
        self._models = {model.name: model for model in graph.models if model.is_view or not model.is_ephemeral}
        self._layers = graph.layers
        self._limits = limits
        self._plan = plan
        self._state = state
        self._stop = stop
        self._failing = Signal()
        self._budget = RetryBudget(RETRY_BUDGET)
        self._reports: dict[ModelName, StepReport] = {}
        self._lock = Lock()
        self.lost: LeaseLost | None = None

    def run(self) -> tuple[StepReport, ...]:
        """Work through the plan and return a report for every model in it, by name."""
        planned = self._planned()
        self._settle_others(planned)
        works = [
            name for name, actions in planned.items() if any(isinstance(item, Build | Rebuild) for item in actions)
        ]
        self._say_started(works)
        if works:
            self._writer.runtime.warehouse.open()
        needs = {name: self._needs(self._models[name]) for name in planned}
        untouched = work_through(
            needs,
            lambda name: self._work(name, planned[name]),
            threads=self._limits.threads if len(works) > 1 else 1,
            should_stop=self._should_stop,
        )
        for name in untouched:
            self._reports[name] = self._not_started(self._models[name], planned[name])
        return self._all_reports()

    def left(self) -> tuple[StepReport, ...]:
        """Return a report for every model of a plan that was left in the middle: what had not ended did nothing."""
        with self._lock:
            for name, actions in self._planned().items():
                if name not in self._reports:
                    self._reports[name] = self._not_started(self._models[name], actions)
            return self._all_reports()

    def _all_reports(self) -> tuple[StepReport, ...]:
        return tuple(self._reports[name] for name in sorted(self._reports))

    def _say_started(self, works: list[ModelName]) -> None:
        """Announce the run, with the time its models took when they were last built."""
        runtime = self._writer.runtime
        tables = [name for name in works if name not in self._views]  # a view takes no time worth counting
        last = [batch for name in tables for batch in runtime.store.batches(runtime.environment, name, limit=1)]
        seconds = sum(batch.duration_ms for batch in last) / 1000 if len(last) == len(tables) else None
        runtime.emit(RunStarted(run_id=self._writer.run_id, steps=len(works), estimated_seconds=seconds))

    def _planned(self) -> dict[ModelName, tuple[Action, ...]]:
        planned: dict[ModelName, tuple[Action, ...]] = {}
        for action in (item for item in self._plan.actions if not isinstance(item, Rename)):
            planned[action.model] = (*planned.get(action.model, ()), action)
        return planned

    def _settle_others(self, planned: dict[ModelName, tuple[Action, ...]]) -> None:
        """Note the state of the models outside the plan: their readers build on what is there."""
        for layer in self._layers:
            for name in layer:
                if name in self._models and name not in planned and name not in self._views:
                    self._state.ended(self._models[name], ())

    def _needs(self, model: CompiledModel) -> frozenset[ModelName]:
        read = {ModelName(use.name) for use in model.inputs if use.is_model}
        return frozenset((*read, *(ModelName(name) for name in model.others_looked_up))) - {model.name}

    def _should_stop(self) -> bool:
        is_failed = self._limits.is_fail_fast and self._failing.is_set()
        return self._stop.is_set() or self.lost is not None or is_failed

    def _work(self, name: ModelName, planned: tuple[Action, ...]) -> None:
        model = self._models[name]
        if name in self._views:
            self._take(name, lambda: self._define(model))
            return
        bounds = Bounds(
            retries=self._limits.retries,
            budget=self._budget,
            planned=planned,
            may_rebuild=self._limits.may_rebuild,
            is_fail_fast=self._limits.is_fail_fast,
            failing=self._failing,
        )
        step = Step(self._writer, model, state=self._state, selection=self._plan.selection, bounds=bounds)
        self._take(name, step.run)

    def _define(self, model: CompiledModel) -> StepReport:
        facts, selection = self._views[model.name], self._plan.selection
        return define_view(self._writer, self._graph, model, state=self._state, facts=facts, selection=selection)

    def _take(self, name: ModelName, work: Callable[[], StepReport]) -> None:
        """Do the work of one model and keep its report, whatever happens in it."""
        model = self._models[name]
        try:
            report = work()
        except LeaseLost as error:
            report = self._broken(model, error)
            self.lost = error
        except LaminaError as error:
            report = self._broken(model, error)
        except Exception as error:  # noqa: BLE001 - one step is a boundary: the others must go on
            report = self._broken(model, InternalFailure(error))
        with self._lock:
            self._reports[name] = report
            # What failed in an earlier run and is not tried again is not a failure of this one.
            if report.materialization.error is not None:
                self._failing.set()

    def _broken(self, model: CompiledModel, error: LaminaError) -> StepReport:
        """Report a step that ended outside its batches, and withhold what reads it."""
        left = (Block(model=model.name, intervals=(WHOLE,), reason=error.message, blocked_by=(model.name,)),)
        if model.name not in self._views:
            self._state.ended(model, left)
        done = materialization_of(model, decided=(), left=left, outcomes=(), error=error, attempts=(), seconds=0.0)
        return StepReport(done, left=left)

    def _not_started(self, model: CompiledModel, planned: tuple[Action, ...]) -> StepReport:
        done = materialization_of(model, decided=planned, left=(), outcomes=(), error=None, attempts=(), seconds=0.0)
        has_work = any(isinstance(action, Build | Rebuild) for action in planned)
        return StepReport(done.replace(status="not_started", reason="the run ended before") if has_work else done)
