"""One view of a run: defined aside by Spark, then put in its place under the lease; it has no rows to record."""

from time import monotonic

from lamina.compiler.graph import CompiledModel, Graph
from lamina.errors import LaminaError
from lamina.executor.failpoint import failpoint
from lamina.executor.publish import Writer
from lamina.executor.report import materialization_of
from lamina.executor.run_state import RunState
from lamina.executor.step import StepReport
from lamina.planner.views import decide_view, definition_of
from lamina.state.errors import LeaseLost
from lamina.values.event import StepFinished, StepStarted
from lamina.values.facts import CatalogView, Intent, ViewFacts
from lamina.values.interval import WHOLE
from lamina.values.names import CommitId
from lamina.values.plan import Action, Block, Build, Selection, Skip


def define_view(
    writer: Writer, graph: Graph, model: CompiledModel, *, state: RunState, facts: ViewFacts, selection: Selection
) -> StepReport:
    """Define a view where it is not what it should be and the tables that it reads are there."""
    started = monotonic()
    action = decide_view(graph, model, facts, there=state.tables(), selection=selection)
    left: tuple[Action, ...] = () if isinstance(action, Build | Skip) else (action,)
    error: LaminaError | None = None
    if isinstance(action, Build):
        writer.runtime.emit(StepStarted(model=model.name, intervals=(), reason=action.reason))
        try:
            # Only a view of ours is ever moved: anything else in its place refuses the publication.
            _define(writer, graph, model, base=facts.pointer if facts.status == "ours" else None)
        except LeaseLost:
            raise
        except LaminaError as caught:
            error = caught
            left = (Block(model=model.name, intervals=(WHOLE,), reason=caught.message, blocked_by=(model.name,)),)
    done = materialization_of(
        model, decided=(action,), left=left, outcomes=(), error=error, attempts=(), seconds=monotonic() - started
    )
    if isinstance(action, Build) and error is None:
        done = done.replace(status="completed", reason=action.reason)
    writer.runtime.emit(
        StepFinished(model=model.name, status=done.status, reason=done.reason, seconds=done.duration_ms / 1000)
    )
    return StepReport(done, left=left, has_built=isinstance(action, Build) and error is None)


def _define(writer: Writer, graph: Graph, model: CompiledModel, *, base: str | None) -> None:
    """Stage the definition and publish it; what is staged and not published is dropped, now or by the next run."""
    runtime, commit = writer.runtime, CommitId(writer.runtime.new_id())
    intent = Intent(
        commit=commit,
        run_id=writer.run_id,
        model=model.name,
        target=model.target,
        base=base,
        token=writer.lease.token,
        pins={},
    )
    runtime.store.intend(intent, writer.lease)
    failpoint("intent.after")
    view = CatalogView(
        pointer="",
        project=runtime.project,
        store=runtime.store.identity,
        environment=runtime.environment,
        model=model.name,
        definition=definition_of(graph, model),
    )
    try:
        move = runtime.warehouse.stage_view(model, commit, base=base, view=view)
        failpoint("stage.after")
        runtime.store.define(move, commit, writer.lease)
    except LaminaError:
        runtime.warehouse.discard(commit)
        runtime.store.abandon(commit)
        raise
    failpoint("publish.after")
