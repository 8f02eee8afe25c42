"""Drop a table: whose it is, what would be lost, then its place in the catalog and its record in one transaction."""

from collections.abc import Callable

from lamina.compiler.graph import CompiledModel, Graph
from lamina.errors import LaminaError
from lamina.executor.lease import held_lease
from lamina.executor.runtime import Runtime
from lamina.executor.state_copy import keep_copy
from lamina.planner.recover import is_marked_by
from lamina.planner.select import find_model, unknown_model
from lamina.state.port import ModelRecord, StateView
from lamina.strategies.history import keeps_history
from lamina.values.coverage import Coverage
from lamina.values.names import ModelName, RunId, TableName, folded
from lamina.values.result import DropResult
from lamina.values.words import listed


class DropRefused(LaminaError):
    """A table is not dropped: it is not this project's, other models read it, or it was not confirmed.

    Why: a dropped table and its files are gone, and with them rows that its inputs may no longer have.
    Fix: drop what reads it first, or add `--force`; `--yes` confirms in advance. A table that lamina did not write is
    dropped with the tool that created it.
    """

    code = "L633"


def drop_table(
    runtime: Runtime, graph: Graph, name: str, *, run_id: RunId, is_forced: bool, agrees: Callable[[DropResult], bool]
) -> DropResult:
    """Drop the table of a model, its files and its record, after `agrees` saw what is lost."""
    with held_lease(runtime, run_id, above=0) as lease:
        view = runtime.store.view(runtime.environment)
        model, record = _named(graph, view, name)
        table = model.target if model is not None else runtime.warehouse.table_at(record.pointer) or _own(record)
        head = runtime.warehouse.heads([table])[table]
        if head.pointer is not None:
            _require_ours(runtime, record, table, is_unreadable=head.fault is not None)
        elif record.model not in view.models:
            raise LaminaError(f"`{record.model}` is not built", hint="there is nothing to drop")
        readers = tuple(item.name for item in graph.models if any(use.name == _own(record) for use in item.inputs))
        readers = tuple(reader for reader in readers if reader != record.model and reader in view.models)
        if readers and not is_forced:
            raise DropRefused(f"{listed(readers)} reads `{record.model}`", hint="drop it first, or add `--force`")
        found = DropResult(
            model=record.model, table=table, bytes=head.bytes, files=head.files, readers=readers, loss=_loss(model)
        )
        if not agrees(found):
            raise DropRefused(f"`{record.model}` is kept", hint="`--yes` drops it without asking")
        runtime.store.drop(record.model, lease, table=table, pointer=head.pointer, at=runtime.clock())
        if head.pointer is not None:
            runtime.warehouse.remove_files(table, head.pointer)
    keep_copy(runtime)
    return found


def _named(graph: Graph, view: StateView, text: str) -> tuple[CompiledModel | None, ModelRecord]:
    """Return the model a person means, in the project or only recorded, with what is recorded of it."""
    model = find_model(graph, text)
    wanted = folded(text)
    if model is None:
        names = [name for name in view.models if wanted in (folded(name), folded(name).partition(".")[2])]
        if len(names) != 1:
            raise unknown_model(graph, text)
        return None, view.models[names[0]]
    if model.is_ephemeral:
        raise LaminaError(f"`{model.name}` is ephemeral: it has no table", hint="there is nothing to drop")
    empty = ModelRecord(model=model.name, pointer=None, position=None, coverage=Coverage())
    return model, view.models.get(model.name, empty)


def _require_ours(runtime: Runtime, record: ModelRecord, table: TableName, *, is_unreadable: bool) -> None:
    """Raise unless the table carries this project's mark, or is recorded where its files cannot say so any more."""
    hint = "lamina drops only tables that it wrote in this project and environment"
    if is_unreadable:
        if record.pointer is None:
            raise DropRefused(f"table `{table}` cannot be read, and nothing is recorded of it", hint=hint)
        return
    mark = runtime.warehouse.history(table, None).mark
    if mark is None:
        raise DropRefused(f"table `{table}` was not written by lamina", hint=hint)
    owner = (runtime.environment, record.model, runtime.store.identity)
    if not any(is_marked_by(mark, name, *owner) for name in (runtime.project, *runtime.store.former_projects)):
        raise DropRefused(f"table `{table}` belongs to model `{mark.model}` of project `{mark.project}`", hint=hint)


def _loss(model: CompiledModel | None) -> str:
    if model is None:
        return "its rows are lost: no model of the project builds them again"
    if keeps_history(model.traits, model.inputs):
        return "rows that its inputs no longer have are lost; the next run builds the others again"
    return "the next run builds it again from its inputs"


def _own(record: ModelRecord) -> TableName:
    return TableName(ModelName(record.model))
