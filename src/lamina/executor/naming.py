"""The names of tables: find each model's table under the name it has, and give it the one that its model says."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from lamina.compiler.graph import CompiledModel
from lamina.errors import LaminaError
from lamina.executor.failpoint import failpoint
from lamina.executor.runtime import Runtime
from lamina.planner.naming import Evidence, Place, find_places, find_quarantines
from lamina.planner.recover import Identity
from lamina.state.port import Lease, StateView
from lamina.values.coverage import Mark
from lamina.values.names import ModelName, TableName, is_quarantine
from lamina.values.plan import Plan, Rename
from lamina.warehouse.failure import WarehouseFailure


@dataclass(frozen=True)
class Places:
    """Where the tables of models are."""

    tables: dict[ModelName, Place | None]  # None: it has none
    quarantines: dict[ModelName, TableName]  # those that are to get other names


def evidence_of(runtime: Runtime, view: StateView) -> Evidence:
    """Return what says which tables of the catalog are whose."""
    rows = runtime.warehouse.pointers()

    @cache
    def mark_of(table: TableName) -> Mark | None:
        try:
            return runtime.warehouse.history(table, None).mark
        except WarehouseFailure:
            return None  # what cannot be read is reported for the model whose record names it

    # An empty state may take over the store of the marks it finds; that is decided when the tables are looked at.
    marks = () if view.models else tuple(filter(None, map(mark_of, sorted(rows))))
    return Evidence(
        recorded={name: record.pointer for name, record in view.models.items()},
        quarantines={name: record.coverage.quarantine for name, record in view.models.items()},
        rows=rows,
        mark_of=mark_of,
        home_of=runtime.warehouse.home_of,
        identity=Identity(
            projects=(runtime.project, *runtime.store.former_projects),
            environment=runtime.environment,
            stores=(runtime.store.identity, *(mark.store for mark in marks)),
        ),
    )


def places_of(runtime: Runtime, models: tuple[CompiledModel, ...], view: StateView) -> Places:
    """Return the table that each model is looked at under, and quarantines that are to get other names."""
    evidence = evidence_of(runtime, view)
    tables = find_places(models, evidence)
    return Places(tables=tables, quarantines=find_quarantines(models, evidence, tables))


class NotRenamedYet(LaminaError):
    """A model was renamed, and what is recorded of it still has its old name.

    Why: `renamed_from` is followed by a run, which renames the table and everything that is recorded of it at once.
    Fix: run first; `lamina plan` shows the rename.
    """

    code = "L647"

    def __init__(self, before: ModelName, now: ModelName) -> None:
        super().__init__(
            f"the table of `{now}` still belongs to `{before}`, which it was renamed from",
            hint="run `lamina run` first, which renames it",
        )


def require_renamed(renaming: Mapping[ModelName, ModelName], *models: ModelName) -> None:
    """Raise if one of some models is recorded under its old name; `renaming` are such names with those of now."""
    for before, now in renaming.items():
        if now in models:
            raise NotRenamedYet(before, now)


def rename_tables(
    runtime: Runtime, plan: Plan, lease: Lease, *, models: Mapping[ModelName, ModelName]
) -> tuple[tuple[Rename, ...], dict[ModelName, str]]:
    """Give models and their tables their new names, all in one moment.

    Return what was done, and where tables are whose marks have new names now.
    """
    renames = tuple(action for action in plan.actions if isinstance(action, Rename))
    if not renames and not models:
        return (), {}
    tables = tuple(item.before for item in renames)
    again = ((table, runtime.warehouse.mark_again(table, token=lease.token)) for table in tables)
    marked = {table: found for table, found in again if found is not None}
    failpoint("mark_again.after")
    done = runtime.store.rename(renames, lease, models=models, moves=marked)
    failpoint("rename.after")
    own = (item for item in done if not is_quarantine(item.before) and item.before in marked)
    return done, {item.model: marked[item.before][1] for item in own}
