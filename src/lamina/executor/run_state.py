"""The state of one run: records, logs and heads as they change while its steps run, shared by its threads."""

from datetime import datetime
from threading import RLock

from lamina.compiler.graph import CompiledModel, Graph
from lamina.executor.observe import Observed, extend_logs, looked_up_of, managed_models
from lamina.executor.publish import BatchBase, Outcome
from lamina.executor.stale_inputs import Judge
from lamina.planner.decide_intervals import schedule_of
from lamina.planner.fold import fold
from lamina.planner.lost_tables import is_remade
from lamina.planner.now import Now
from lamina.planner.ragged import with_moved_ends
from lamina.planner.readiness import Upstream
from lamina.planner.recover import standing_of, without_own_past
from lamina.planner.regrid import on_new_grid
from lamina.planner.touches import diff_questions
from lamina.planner.upstream import upstream_of
from lamina.state.port import ModelRecord
from lamina.values.coverage import Coverage
from lamina.values.facts import Head, ModelFacts
from lamina.values.interval import WHOLE
from lamina.values.names import ModelName, TableName
from lamina.values.plan import Action, Selection
from lamina.values.result import Propagation
from lamina.values.touch import Touch


class RunState:
    """What is known now; every method is safe to call from any thread."""

    def __init__(
        self, graph: Graph, observed: Observed, *, selection: Selection, judge: Judge = lambda _name, _head: None
    ) -> None:
        self._selection = selection
        self._judge = judge  # says whether a table is stale in the version it has now
        self._stale = dict(observed.facts.stale)
        self._lock = RLock()
        self._facts = dict(observed.facts.models)
        self._records = dict(observed.records)
        self._logs: dict[TableName, tuple[Touch, ...]] = dict(observed.facts.touches)
        self._heads: dict[TableName, Head] = dict(observed.facts.heads)
        self._upstream: dict[TableName, Upstream] = {}
        self._readers: dict[TableName, list[CompiledModel]] = {}
        self._models = {TableName(model.name): model for model in managed_models(graph)}
        for model in managed_models(graph):
            for use in model.inputs:
                self._readers.setdefault(use.name, []).append(model)
        self._execution_time: datetime = observed.facts.execution_time
        for model in managed_models(graph):
            if model.reads_itself and is_remade(model, self._facts[model.name], selection, self._execution_time):
                record = self._records[model.name]
                self._keep(record.replace(coverage=without_own_past(model, record.coverage)))

    def fold(self, model: CompiledModel) -> tuple[ModelRecord, bool, tuple[Propagation, ...]]:
        """Fold the inputs' touches into a model's record; say whether that changed it, and what was decided."""
        with self._lock:
            record = self._records[model.name]
            coverage, decisions = fold(record.coverage, model, touches=self._logs, heads=self._heads)
            is_changed = coverage != record.coverage and bool(record.coverage.segments)
            self._keep(record.replace(coverage=coverage))
            return self._records[model.name], is_changed, decisions

    def go_on(self, model: CompiledModel) -> ModelRecord | None:
        """Take over what a change of the grid keeps, and let unfinished slices go on where nothing of them is missing.

        Return the record where that changed it.
        """
        with self._lock:
            facts = self._facts[model.name]
            kept = facts.replace(coverage=on_new_grid(model, facts.coverage))
            moved = with_moved_ends(model, kept, self.now(model))
            if moved.coverage == facts.coverage:
                return None
            self._keep(self._records[model.name].replace(coverage=moved.coverage))
            return self._records[model.name]

    def facts(self, model: CompiledModel) -> ModelFacts:
        """Return what is known of a model; what its checks look values up in may have been built just now."""
        with self._lock:
            known = self._facts[model.name]
            return known.replace(looked_up=looked_up_of(model, self._heads)) if model.looked_up else known

    def now(self, model: CompiledModel) -> Now:
        """Return what a decision about a model depends on now, beside its own facts."""
        with self._lock:
            return Now(
                execution_time=self._execution_time,
                selection=self._selection,
                upstream={use.name: self._upstream[use.name] for use in model.inputs if use.name in self._upstream},
                touches=dict(self._logs),
                stale=dict(self._stale),
            )

    def tables(self) -> frozenset[TableName]:
        """Return the names, as readers use them, of what has a table now."""
        with self._lock:
            return frozenset(name for name, head in self._heads.items() if head.pointer is not None)

    def tables_read(self, model: CompiledModel) -> tuple[CompiledModel, ...]:
        """Return the model itself and the models whose tables it reads."""
        others = (self._models[use.name] for use in model.inputs if use.name in self._models and not model.is_own(use))
        return (model, *others)

    def input_bytes(self, model: CompiledModel) -> int | None:
        """Return how much the inputs of a model hold, None if the size of one is not known."""
        with self._lock:
            sizes = [head.bytes for use in model.inputs if (head := self._heads.get(use.name)) is not None]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(model.inputs) else None

    def batch_base(self, model: CompiledModel) -> BatchBase:
        """Return what the next batch of a model builds on."""
        with self._lock:
            facts, record = self._facts[model.name], self._records[model.name]
            schedule = schedule_of(model, facts, self.now(model))
            name = TableName(model.name)
            readers = tuple(self._readers.get(name, ()))
            coverages: dict[str, Coverage] = {item.name: self._records[item.name].coverage for item in readers}
            return BatchBase(
                model=model,
                record=record,
                start=schedule.start if schedule is not None else None,
                lifetime=schedule.lifetime if schedule is not None else WHOLE,
                questions=diff_questions(name, readers, coverages=coverages),
                logs={use.name: self._logs.get(use.name, ()) for use in model.inputs},
            )

    def published(self, model: CompiledModel, outcome: Outcome) -> None:
        """Take in a published batch: the record, the log and the head move on together."""
        published = outcome.published
        with self._lock:
            name = TableName(model.name)
            self._logs[name] = (*self._logs.get(name, ()), outcome.touch)
            before = self._heads[name]
            size = 0 if before.pointer is None else before.bytes
            self._heads[name] = Head(
                table=model.target,
                pointer=published.move.pointer,
                position=published.position,
                columns=model.columns or (),
                bytes=None if size is None else size + published.counts.bytes_written,
            )
            self._stale.pop(name, None)
            if (reason := self._judge(name, self._heads[name])) is not None:
                self._stale[name] = reason
            target = standing_of(published.mark.coverage)
            self._facts[model.name] = self._facts[model.name].replace(target=target)
            self._keep(
                ModelRecord(
                    model=model.name,
                    pointer=published.move.pointer,
                    position=published.position,
                    coverage=published.mark.coverage,
                )
            )

    def moved(
        self, model: CompiledModel, head: Head, touches: tuple[Touch, ...]
    ) -> tuple[ModelRecord, tuple[Touch, ...]]:
        """Take in that a table moved without a change of rows; return the record and the touches as numbered."""
        with self._lock:
            name = TableName(model.name)
            touches, self._logs = extend_logs(self._logs, tuple(touch.replace(table=name) for touch in touches))
            self._heads[name] = head
            record = self._records[model.name].replace(pointer=head.pointer, position=head.position)
            self._keep(record)
            return record, touches

    def base(self, model: CompiledModel) -> str | None:
        """Return the pointer a new batch is staged on; None where there is no table."""
        with self._lock:
            match self._facts[model.name].target.status:
                case "absent":
                    return None
                case "lost":
                    return self._heads[TableName(model.name)].pointer
                case _:
                    return self._records[model.name].pointer

    def is_base_lost(self, model: CompiledModel) -> bool:
        """Return whether the table that a new batch replaces cannot be read."""
        with self._lock:
            return self._facts[model.name].target.status == "lost"

    def ended(self, model: CompiledModel, left: tuple[Action, ...]) -> None:
        """Note the state of a model for its readers; `left` is what of its decision was not published."""
        with self._lock:
            facts, now = self._facts[model.name], self.now(model)
            self._upstream[TableName(model.name)] = upstream_of(model, facts, now, actions=left)

    def _keep(self, record: ModelRecord) -> None:
        self._records[record.model] = record
        self._facts[record.model] = self._facts[record.model].replace(coverage=record.coverage)

    def record(self, name: ModelName) -> ModelRecord:
        """Return the record of a model."""
        with self._lock:
            return self._records[name]
