"""The verbs that look after the state as a whole: check, rebuild and relocate it; wiring only."""

import os
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from lamina.api.custody import Restored, open_state, refuse_shared, register_again, restore, tables_folder
from lamina.api.engine import new_run_id, open_engine, open_known
from lamina.api.opened import Opened
from lamina.config import Config, StateConfig
from lamina.errors import ProjectInvalid
from lamina.executor.derive import derive_records, state_differences
from lamina.executor.lease import is_alive
from lamina.state import place
from lamina.state.errors import LeaseHeld
from lamina.state.sqlite import Database, Lock, putting_in_order
from lamina.values.custody import StateCheck, StateRebuild, StateRelocation
from lamina.values.diagnostic import sort_diagnostics
from lamina.values.names import EnvironmentName, TableName
from lamina.warehouse.catalog.file_lock import beside_others, held
from lamina.warehouse.catalog.jdbc import JdbcCatalog, relocate
from lamina.warehouse.iceberg.metadata import forget_metadata, local_path
from lamina.warehouse.iceberg.relocation import CannotRelocate, Moved, mover, relocate_tables


def check_state(project: Opened) -> StateCheck:
    """Compare what the state records about every model with what its table says."""
    with open_known(project) as engine:
        return StateCheck(differences=state_differences(engine.runtime, engine.graph))


def rebuild_state(project: Opened) -> StateRebuild:
    """Restore a lost state, and derive the records of all models from their tables again."""
    config = project.config
    restored = restore(config) or Restored(detail="")
    _refuse_running(config, is_copy=False)
    _refuse_broken(project)
    register_again(config)
    with open_engine(project, config.replace(state=StateConfig(on_missing="rebuild"))) as engine:
        runtime = engine.runtime
        models = derive_records(runtime, engine.graph, run_id=new_run_id(runtime.clock()))
    return StateRebuild(models=models, not_restored=restored.not_restored, copy=restored.copy, aside=restored.aside)


def relocate_state(project: Opened) -> StateRelocation:
    """Let the tables and the state of a project that was moved or copied name the folder they are in now."""
    config = project.config
    restore(config)
    here, path = config.catalog.warehouse, Path(config.catalog.database)
    recorded, leaving = tables_folder(config)
    left = tuple(sorted({*leaving, *((recorded,) if recorded else ())} - {here}))
    if not left:
        refuse_shared(config)
        return StateRelocation(moved_from=(), moved_to=here, tables=())
    _refuse_nested(left, here)
    moved = mover(left, here)
    with putting_in_order(path), closing(Database(path, lock=held)) as database:
        _refuse_running(config, is_copy=any(os.path.isdir(folder) for folder in left), lock=held)
        with database.reading() as connection:
            _refuse_missing(JdbcCatalog(config.catalog.name).pointers(connection), moved)
        with database.writing() as connection:
            # From here on files may name either folder, wherever the project is moved before this is done.
            place.leave(connection, (*left, here))
        tables = relocate_tables(Path(here), moved)
        with database.writing() as connection:
            relocate(connection, moved)
            place.arrive(connection, here, moved)
            place.keep_here(connection, Path(here))
        forget_metadata()
        database.keep_copy(at=datetime.now(UTC))
    return StateRelocation(moved_from=left, moved_to=here, tables=tables)


def _refuse_broken(project: Opened) -> None:
    """Raise while a project does not compile: the records of models that are not known would be lost."""
    project.compile_again()
    found = sort_diagnostics([*project.graph.diagnostics])
    if any(item.severity == "error" for item in found):
        raise ProjectInvalid(found)


def _refuse_nested(left: tuple[str, ...], here: str) -> None:
    for folder in left:
        if f"{here}/".startswith(f"{folder}/") or f"{folder}/".startswith(f"{here}/"):
            raise CannotRelocate(
                f"of `{here}` and `{folder}`, where the tables were made, one is inside the other",
                hint="move the project to a folder beside the old one, relocate it there, then move it again",
            )


def _refuse_running(config: Config, *, is_copy: bool, lock: Lock = beside_others) -> None:
    """Raise while a run works on a project that was moved under it; what runs on the original of a copy is not ours."""
    with closing(open_state(config, lock=lock)) as store:
        lease = store.current_lease(EnvironmentName(config.environment))
    if lease is not None and not is_copy and is_alive(lease, now=datetime.now(UTC)):
        raise LeaseHeld(lease.environment, lease.holder, since=lease.expires_at)


def _refuse_missing(pointers: Mapping[TableName, str], moved: Moved) -> None:
    """Raise if the metadata of a table was not moved along."""
    for table, pointer in sorted(pointers.items()):
        there = moved(pointer)
        if there != pointer and not local_path(there).is_file():
            raise CannotRelocate(
                f"table `{table}` was not moved along: `{local_path(there)}` does not exist",
                hint="copy the whole warehouse folder, or set `catalog.warehouse` to the folder the tables are in",
            )
