"""Drop a table: whose it is, what would be lost, then its place in the catalog and its record in one transaction."""

from collections.abc import Callable

from lamina.compiler.graph import CompiledModel, Graph
from lamina.errors import LaminaError
from lamina.executor.lease import held_lease
from lamina.executor.naming import evidence_of, require_renamed
from lamina.executor.observe import is_own_view
from lamina.executor.runtime import Runtime
from lamina.executor.state_copy import keep_copy
from lamina.planner.naming import find_place
from lamina.planner.recover import is_marked_by
from lamina.planner.renamed_models import names_of
from lamina.planner.select import find_model, unknown_model
from lamina.state.port import Lease, ModelRecord, StateView
from lamina.state.renamed import pending_of
from lamina.strategies.history import keeps_history
from lamina.values.coverage import Coverage
from lamina.values.facts import CatalogView
from lamina.values.names import ModelName, RunId, TableName, folded, quarantine_of
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
        if (defined := _own_view(runtime, graph, view, name)) is not None:
            return _drop_view(runtime, defined, lease, agrees=agrees)
        model, record = _named(graph, view, name)
        if record.pointer is None:  # a table of its own may be dropped, so that the other one takes its place
            require_renamed(pending_of(view, names_of(graph)), record.model)
        own = _table(runtime, model, record, view)
        table = own or (model.target if model is not None else _own(record))
        head = runtime.warehouse.heads([table])[table]
        if head.pointer is not None:
            _require_ours(runtime, record, table, is_known=own is not None, is_unreadable=head.fault is not None)
        elif record.model not in view.models:
            raise LaminaError(f"`{record.model}` is {_not_there(model)}", hint="there is nothing to drop")
        readers = tuple(item.name for item in graph.models if any(use.name == _own(record) for use in item.inputs))
        readers = tuple(reader for reader in readers if reader != record.model and reader in view.models)
        if readers and not is_forced:
            raise DropRefused(f"{listed(readers)} reads `{record.model}`", hint="drop it first, or add `--force`")
        found = DropResult(
            model=record.model, table=table, bytes=head.bytes, files=head.files, readers=readers, loss=_loss(model)
        )
        if not agrees(found):
            raise DropRefused(f"`{record.model}` is kept", hint="`--yes` drops it without asking")
        last = head.pointer or record.pointer
        home = table if last is None else runtime.warehouse.home_of(last)
        beside = _quarantine(runtime, record, table)
        runtime.store.drop(
            record.model, lease, table=table, pointer=head.pointer, home=home, at=runtime.clock(), beside=tuple(beside)
        )
        pointers = {**beside, **({} if head.pointer is None else {table: head.pointer})}
        for dropped, pointer in pointers.items():
            runtime.warehouse.remove_files(dropped, pointer)
    keep_copy(runtime)
    return found


def _not_there(model: CompiledModel | None) -> str:
    if model is None or not model.is_ephemeral:
        return "not built"
    return "a view that is not defined yet" if model.is_view else "ephemeral: it has no table"


def _own_view(
    runtime: Runtime, graph: Graph, state: StateView, text: str
) -> tuple[CompiledModel | None, TableName, CatalogView] | None:
    """Return the view of the catalog that a person means, of a model that is or was one; None if it is a table."""
    model, wanted = find_model(graph, text), folded(text)
    names = {wanted} if model is None else {folded(model.name)}
    found = [
        (table, view)
        for table, view in runtime.warehouse.views().items()
        if {folded(view.model), folded(view.model).partition(".")[2]} & names and is_own_view(runtime, view)
    ]
    if len(found) != 1 or found[0][1].model in state.models:
        return None
    return model, *found[0]


def _drop_view(
    runtime: Runtime,
    defined: tuple[CompiledModel | None, TableName, CatalogView],
    lease: Lease,
    *,
    agrees: Callable[[DropResult], bool],
) -> DropResult:
    """Take a view out of the catalog: it has no rows, and models that read it have its query."""
    model, table, view = defined
    is_back = model is not None and model.is_view
    loss = "the next run defines the view again" if is_back else "it is a view without rows: nothing is lost"
    found = DropResult(model=view.model, table=table, loss=loss)
    if not agrees(found):
        raise DropRefused(f"`{view.model}` is kept", hint="`--yes` drops it without asking")
    runtime.store.undefine(table, view.pointer, lease)
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
    empty = ModelRecord(model=model.name, pointer=None, position=None, coverage=Coverage())
    return model, view.models.get(model.name, empty)


def _table(runtime: Runtime, model: CompiledModel | None, record: ModelRecord, view: StateView) -> TableName | None:
    """Return the table of a model by the name that it has now; None where no table is known to be the model's."""
    if model is not None:
        return find_place(model, evidence_of(runtime, view))
    found = (name for name, pointer in sorted(runtime.warehouse.pointers().items()) if pointer == record.pointer)
    return next(found, None)


def _require_ours(
    runtime: Runtime, record: ModelRecord, table: TableName, *, is_known: bool, is_unreadable: bool
) -> None:
    """Raise unless the table carries this project's mark, or is recorded where its files cannot say so any more."""
    hint = "lamina drops only tables that it wrote in this project and environment"
    if is_unreadable:
        if not is_known:
            raise DropRefused(f"table `{table}` cannot be read, and nothing is recorded of it", hint=hint)
        return
    mark = runtime.warehouse.history(table, None).mark
    if mark is None:
        raise DropRefused(f"table `{table}` was not written by lamina", hint=hint)
    owner = (runtime.environment, record.model, runtime.store.identity)
    if not any(is_marked_by(mark, name, *owner) for name in (runtime.project, *runtime.store.former_projects)):
        raise DropRefused(f"table `{table}` belongs to model `{mark.model}` of project `{mark.project}`", hint=hint)


def _quarantine(runtime: Runtime, record: ModelRecord, table: TableName) -> dict[TableName, str]:
    """Return the quarantine of a table with its pointer, if it is there and ours: it goes with its table."""
    name = quarantine_of(table)
    head = runtime.warehouse.heads([name])[name]
    if head.pointer is None:
        return {}
    mark = None if head.fault is not None else runtime.warehouse.history(name, None).mark
    if mark is None:
        return {}
    owner = (runtime.environment, record.model, runtime.store.identity)
    is_ours = mark.commit == record.coverage.quarantine or (mark.environment, mark.model, mark.store) == owner
    return {name: head.pointer} if is_ours else {}


def _loss(model: CompiledModel | None) -> str:
    if model is None or model.is_ephemeral:
        return "its rows are lost: no model of the project builds them again"
    if keeps_history(model.traits, model.inputs):
        return "rows that its inputs no longer have are lost; the next run builds the others again"
    return "the next run builds it again from its inputs"


def _own(record: ModelRecord) -> TableName:
    return TableName(ModelName(record.model))
