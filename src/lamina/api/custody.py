"""Open the state of a project, restored first where it is lost: a lost catalog is not an empty one.

The state file holds the catalog too. Where it is missing, damaged or older than the tables, the newest good copy takes
its place, every table is registered at its published head, and its mark brings the record back when it is looked at.
Where only the rows of some tables are gone, those are registered again.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from lamina.config import Config
from lamina.state import copies, place
from lamina.state.dialect import StateTransaction
from lamina.state.dropped import Dropped, forget_table, is_dropped, read_dropped
from lamina.state.errors import ProjectMoved, StateCorrupt, StateLost, StateUnavailable, TablesKeptElsewhere
from lamina.state.migrations import COUNTING, KNOWN, found_version
from lamina.state.place import Place
from lamina.state.publications import read_publications
from lamina.state.sqlite import Database, Lock, looking, putting_in_order
from lamina.state.store import SqlStore
from lamina.values.coverage import Mark
from lamina.values.names import TableName, is_quarantine, quarantine_of, without_quarantine
from lamina.values.value import Value
from lamina.values.words import listed
from lamina.warehouse.catalog.file_lock import beside_others, held
from lamina.warehouse.catalog.jdbc import JdbcCatalog, has_rows
from lamina.warehouse.catalog.port import Catalog
from lamina.warehouse.catalog.sqlite import has_catalog
from lamina.warehouse.iceberg.homes import home_of
from lamina.warehouse.iceberg.left_behind import find_left_behind
from lamina.warehouse.iceberg.metadata import MetadataUnreadable, local_path, read_metadata
from lamina.warehouse.iceberg.rediscovery import (
    FoundTable,
    find_quarantine,
    find_table,
    find_tables,
    has_tables,
    table_names,
)

NEVER_COPIED = ("run history", "plans", "failures of slices", "requests", "the project as it was last run")


class Trouble(Value, frozen=True):
    """Why a state file cannot be used as it is."""

    detail: str
    is_replaced: bool  # the file is of no use; else it is brought up to date
    tables: tuple[TableName, ...] | None = None  # those that may have moved, by their folders; None: all
    advice: str = ""


class Restored(Value, frozen=True):
    """How a state was restored."""

    detail: str  # what was wrong with it
    aside: str | None = None  # what the damaged file is called now
    copy: str | None = None  # the copy that took its place
    tables: tuple[TableName, ...] = ()  # registered at another version than before, or again
    not_restored: tuple[str, ...] = ()
    advice: str = ""

    def __str__(self) -> str:
        source = "the marks in the tables" if self.copy is None else f"the copy `{self.copy}` and the marks"
        if self.copy is None and self.aside is None:
            advice = f"; {self.advice}" if self.advice else ""
            return f"the state file is restored ({self.detail}): the tables are registered by their marks{advice}"
        kept = "" if self.aside is None else f"; the old file is kept as `{self.aside}`"
        return f"the state file could not be used ({self.detail}); it is restored from {source}{kept}"


def open_state(config: Config, *, lock: Lock = beside_others) -> SqlStore:
    """Open the state as it is."""
    database, warehouse = Path(config.catalog.database), Path(config.catalog.warehouse)
    return SqlStore(
        Database(database, lock=lock),
        JdbcCatalog(config.catalog.name),
        project=config.project,
        warehouse=warehouse,
        is_private=Path(config.root) in database.parents,
    )


def restore_if_lost(config: Config) -> Restored | None:
    """Restore a lost state, unless the project asks to stop then; return what was done."""
    if find_trouble(config) is None:
        return None
    if config.state.on_missing == "rebuild":
        return restore(config)
    # Looked at once more: a publication that was being committed a moment ago looks like an old state.
    with putting_in_order(Path(config.catalog.database)):
        trouble = _find_trouble(config)
    if trouble is not None:
        raise StateLost(config.catalog.database, trouble.detail)
    return None


def refuse_elsewhere(config: Config) -> None:
    """Raise unless the tables are where the state says, and written by this state; note where both are."""
    here = config.catalog.warehouse
    with closing(Database(Path(config.catalog.database))) as database:
        with database.reading() as connection:
            recorded, leaving = _tables_folder(connection, config)
            left = [folder for folder in (recorded, *leaving) if folder is not None and folder != here]
            if left:
                raise ProjectMoved(left[0], here, is_there=os.path.isdir(left[0]))
            _refuse_shared(connection, config)
            is_noted = recorded is not None and place.is_kept_here(connection, Path(here))
        if not is_noted:
            with database.writing() as connection:
                place.settle(connection, here)
                place.keep_here(connection, Path(here))


def refuse_shared(config: Config) -> None:
    """Raise while another state file writes the tables of this warehouse under the same identity."""
    with closing(Database(Path(config.catalog.database))) as database, database.reading() as connection:
        _refuse_shared(connection, config)


def _refuse_shared(connection: StateTransaction, config: Config) -> None:
    here, path = config.catalog.warehouse, config.catalog.database
    keeper = place.keeper_elsewhere(connection, Path(here))
    if keeper is not None:
        raise TablesKeptElsewhere(here, state=path, keeper=keeper)


def tables_folder(config: Config) -> tuple[str | None, tuple[str, ...]]:
    """Return the folder that the tables are recorded in, and those that files may name until they are relocated."""
    with closing(Database(Path(config.catalog.database))) as database, database.reading() as connection:
        return _tables_folder(connection, config)


def _tables_folder(connection: StateTransaction, config: Config) -> tuple[str | None, tuple[str, ...]]:
    here, found = config.catalog.warehouse, place.read_place(connection)
    pointers = {} if found.warehouse else JdbcCatalog(config.catalog.name).pointers(connection)
    recorded = found.warehouse or _folder_of(pointers)
    is_here = recorded is not None and _is_same(recorded, here)
    return here if is_here else recorded, found.leaving


def find_trouble(config: Config) -> Trouble | None:
    """Say why the state file cannot be used as it is; None where it can."""
    with beside_others(Path(config.catalog.database)):
        return _find_trouble(config)


def _find_trouble(config: Config) -> Trouble | None:
    try:
        return _trouble(config)
    except (OSError, StateCorrupt, StateUnavailable):
        return None  # missing permissions, a lock, a full disk: reported when it is opened next


def _trouble(config: Config) -> Trouble | None:
    path, warehouse = Path(config.catalog.database), Path(config.catalog.warehouse)
    if not path.exists():
        return Trouble("it is missing", is_replaced=True) if has_tables(warehouse) else None
    damage = copies.damage_of(path)
    if damage is not None:
        is_new = path.stat().st_size == 0 and not has_tables(warehouse)
        return None if is_new else Trouble(damage, is_replaced=True)
    with looking(path) as connection:
        version = found_version(connection)
        if version is None:
            return Trouble("it has lost its version", is_replaced=True)
        if version > KNOWN:
            return None  # reported when it is opened
        found = _place(connection, version)
        is_empty = not (has_catalog(connection) and has_rows(connection))
        left = () if found is None else tuple(item.table for item in _left_behind(connection, config, found))
    if found is not None and (counted := read_publications(warehouse, found.identity)) is not None:
        missed = counted.number - found.published
        if missed > 0:
            moved = (counted.table, *counted.beside, *left) if missed == 1 else None
            return Trouble("it is older than the tables", is_replaced=False, tables=moved)
    if left:
        detail = f"its catalog has no row for {listed(left)}, whose files still exist"
        return Trouble(detail, is_replaced=False, tables=left, advice="to drop a table, run `lamina drop`")
    own = None if found is None else found.identity
    if is_empty and any(_is_lost(item, config, own=own) for item in _found_tables(warehouse)):
        return Trouble("it does not know the tables", is_replaced=False)
    return None


def _place(transaction: StateTransaction, version: int) -> Place | None:
    """Return the row of a store of any version that counts publications."""
    if version == KNOWN:
        return place.read_place(transaction)
    return place.read_older_place(transaction) if version >= COUNTING else None


def _left_behind(transaction: StateTransaction, config: Config, store: Place) -> tuple[FoundTable, ...]:
    """Return the tables that were published and have no row, although their files are there; folders are not listed.

    Of a model that has another table in the catalog none is missing: a model has one table.
    """
    catalog = JdbcCatalog(config.catalog.name)
    known = catalog.pointers(transaction) if has_catalog(transaction) else {}
    folder = _folder(config, store, known)
    missing = missing_tables(transaction, known, home_of=lambda pointer: home_of(pointer, folder))
    if not missing:
        return ()
    at = {home_of(pointer, folder): pointer for pointer in known.values()}
    warehouse, others = Path(config.catalog.warehouse), known.values()
    times = _times(read_dropped(warehouse))
    found = (
        _followed(warehouse, home, at)
        if is_quarantine(home)
        else find_left_behind(warehouse, home, recorded=pointer, others=others, dropped=times.get(home))
        for home, pointer in missing.items()
    )
    own = place.read_place(transaction).identity
    ours = tuple(item for item in found if item is not None and _is_ours(item, config.project, own))
    return without_replaced(ours, known, mark_of=_mark_at)


def without_replaced(
    found: tuple[FoundTable, ...], known: Mapping[TableName, str], *, mark_of: Callable[[str], Mark | None]
) -> tuple[FoundTable, ...]:
    """Return the tables whose models have none in the catalog; a quarantine carries the mark of its table's model."""
    own = (pointer for table, pointer in known.items() if found and not is_quarantine(table))
    owners = {mark.owner for pointer in own if (mark := mark_of(pointer)) is not None}
    return tuple(
        item for item in found if item.mark is None or is_quarantine(item.table) or item.mark.owner not in owners
    )


def _followed(warehouse: Path, home: TableName, known: Mapping[TableName, str]) -> FoundTable | None:
    """Return a quarantine at the version that belongs to its table, which the catalog knows; all by their folders."""
    of = TableName(without_quarantine(home))
    mark = _mark_at(known[of]) if of in known else None
    return find_quarantine(warehouse, FoundTable(table=of, pointer=known.get(of, ""), location="", mark=mark))


def missing_tables(
    transaction: StateTransaction, known: Mapping[TableName, str], *, home_of: Callable[[str], TableName]
) -> dict[TableName, str]:
    """Return the folders of tables that are recorded as published and have no row, each with its last pointer.

    With a quarantine it is the pointer of its table, whose mark says which version of the quarantine belongs to it.
    """
    moved = set(place.recorded_pointers(transaction)) - set(known.values())
    homes = {home_of(pointer): pointer for pointer in known.values()}
    missing = {home: pointer for pointer in sorted(moved) if (home := home_of(pointer)) not in homes}
    for home in map(home_of, place.pointers_with_quarantine(transaction)):
        # Where its table is missing too, the quarantine is found with it.
        if home in homes and quarantine_of(home) not in homes:
            missing[quarantine_of(home)] = homes[home]
    return missing


def restore(config: Config) -> Restored | None:
    """Put the state in order; of several processes one does it, and the others find it done."""
    path, now = Path(config.catalog.database), datetime.now(UTC)
    with putting_in_order(path):
        trouble = _find_trouble(config)
        if trouble is None:
            return None
        if not trouble.is_replaced:
            moved = catch_up(path, config, trouble.tables)
            return Restored(detail=trouble.detail, tables=moved, advice=trouble.advice)
        aside, copy = copies.put_aside(path, at=now), copies.newest_good_copy(path)
        with copies.put_in_place(copy, path) as scratch:
            tables = catch_up(scratch, config, None)
    lost = NEVER_COPIED if copy is None else tuple(f"{name} since the copy" for name in NEVER_COPIED[:-1])
    return Restored(
        detail=trouble.detail,
        aside=None if aside is None else str(aside),
        copy=None if copy is None else str(copy),
        tables=tables,
        not_restored=lost,
    )


def register_again(config: Config) -> tuple[TableName, ...]:
    """Register every table at its published head, and forget the records that can be derived from it."""
    with closing(Database(Path(config.catalog.database))) as database, database.writing() as connection:
        place.forget_tables(connection, config.project)
        return _register(connection, config, None)


def catch_up(path: Path, config: Config, tables: tuple[TableName, ...] | None) -> tuple[TableName, ...]:
    """Register tables at their published heads in a state file that this process holds alone."""
    with closing(Database(path, lock=held)) as database, database.writing() as connection:
        return _register(connection, config, tables)


def _register(
    connection: StateTransaction, config: Config, tables: tuple[TableName, ...] | None
) -> tuple[TableName, ...]:
    warehouse, catalog = Path(config.catalog.warehouse), JdbcCatalog(config.catalog.name)
    recorded = _folder(config, place.read_place(connection), catalog.pointers(connection))
    known = {home_of(pointer, recorded): pointer for pointer in catalog.pointers(connection).values()}
    homes = table_names(warehouse) if tables is None else tuple(home for home in tables if not is_quarantine(home))
    # What follows a table that is where it was: the others are found with their tables.
    alone = () if tables is None else tuple(set(tables) - {*homes, *map(quarantine_of, homes)})
    dropped = read_dropped(warehouse)
    times = _times(dropped)
    heads = (find_table(warehouse, home, known=known.get(home), dropped=times.get(home)) for home in homes)
    found = paired(heads, partial(find_quarantine, warehouse))
    found = (*found, *(item for home in alone if (item := _followed(warehouse, home, known)) is not None))
    gone = tuple(note for note in dropped.values() if tables is None or note.folder in tables)
    moved = register_tables(
        connection,
        found,
        gone,
        catalog=catalog,
        project=config.project,
        warehouse=warehouse,
        home_of=lambda pointer: home_of(pointer, recorded),
    )
    if place.read_place(connection).warehouse is None and (folder := _common_folder(found)) is not None:
        place.settle(connection, folder)
    return moved


def paired(
    heads: Iterable[FoundTable | None], quarantine: Callable[[FoundTable], FoundTable | None]
) -> tuple[FoundTable, ...]:
    """Return tables at their heads, and each quarantine at the version that was published together with its table.

    One that belongs to none of the tables is left out: its table is gone, or it was never published.
    """
    found = tuple(item for item in heads if item is not None)
    own = tuple(item for item in found if item.mark is None or not is_quarantine(item.table))
    beside = (quarantine(item) for item in own)
    return (*own, *(item for item in beside if item is not None))


def register_tables(
    connection: StateTransaction,
    found: tuple[FoundTable, ...],
    dropped: tuple[Dropped, ...],
    *,
    catalog: Catalog,
    project: str,
    warehouse: Path | None,
    home_of: Callable[[str], TableName],
) -> tuple[TableName, ...]:
    """Point tables at their published heads, as the identity that their marks name; return those that moved.

    Tables that were dropped and are not there again are taken out of the catalog, which may be older than the drop.
    `found` are named by their folders; one that the catalog knows keeps its name there, which may be another. A
    quarantine is called after its table.
    """
    known = catalog.pointers(connection)
    names = {home_of(pointer): table for table, pointer in known.items()}
    for note in dropped:
        if all(item.table != note.folder for item in found):
            gone = tuple(names[folder] for folder in note.folders if folder in names)
            forget_table(connection, catalog, note, tables=gone, project=project)
    found = tuple(item for item in found if not any(is_dropped(item.mark, note) for note in dropped))
    before = place.read_place(connection).identity
    replaced = replaced_homes(found, known, home_of=home_of, recorded=place.recorded_owners(connection))
    for home in sorted(replaced & names.keys()):
        catalog.drop(connection, names[home])
    found = tuple(item for item in found if item.table not in replaced)
    stores = {item.mark.store for item in found if item.mark is not None and item.mark.project == project}
    identity = stores.pop() if not known and len(stores) == 1 else before
    # Of a store that projects share, the tables of all are found again.
    ours = [item for item in found if item.table in names or item.mark is None or _is_ours(item, project, identity)]
    moved: list[TableName] = []
    for item in sorted(ours, key=lambda item: is_quarantine(item.table)):
        of = names.get(TableName(without_quarantine(item.table)))
        wanted = item.table if of is None or not is_quarantine(item.table) else quarantine_of(of)
        name = names.setdefault(item.table, free_name(wanted, catalog.pointers(connection)))
        if _name(known.get(name, "")) != _name(item.pointer):
            catalog.register(connection, name, pointer=item.pointer)
            moved.append(name)
    place.take_identity(connection, identity, warehouse=warehouse)
    return tuple(moved)


def replaced_homes(
    found: Iterable[FoundTable],
    known: Mapping[TableName, str],
    *,
    home_of: Callable[[str], TableName],
    recorded: Mapping[str, tuple[str, str, str]],
) -> set[TableName]:
    """Return the folders of tables in whose place their models have a later one, and those of their quarantines.

    A row of an older copy may name a folder without files; whose table it was, the record of the same copy knows.
    """
    latest: dict[tuple[str, str, str], FoundTable] = {}
    marked = [(item, item.mark) for item in found if item.mark is not None and not is_quarantine(item.table)]
    for item, mark in sorted(marked, key=lambda pair: (pair[1].token, pair[0].updated, pair[0].table)):
        latest[mark.owner] = item
    older = {item.table for item, mark in marked if latest[mark.owner] is not item}
    there = {item.table for item in found}
    purged = {home_of(pointer) for pointer in known.values() if recorded.get(pointer) in latest} - there
    replaced = older | purged
    return replaced | set(map(quarantine_of, replaced))


def free_name(home: TableName, taken: Mapping[TableName, str]) -> TableName:
    """Return a name for a table that is found in a folder; the run that renames it finds it by its mark."""
    names = (home, *(TableName(f"{home}__{number}") for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _folder(config: Config, store: Place, known: dict[TableName, str]) -> Path:
    """Return the folder of the tables as the state names it, which is another one when the project was moved."""
    return Path(store.warehouse or _folder_of(known) or config.catalog.warehouse)


def _mark_at(pointer: str) -> Mark | None:
    try:
        return read_metadata(pointer).mark
    except MetadataUnreadable:
        return None


def _times(dropped: dict[TableName, Dropped]) -> dict[TableName, int]:
    return {folder: note.at for folder, note in dropped.items()}


def _found_tables(warehouse: Path) -> tuple[FoundTable, ...]:
    return find_tables(warehouse, dropped=_times(read_dropped(warehouse)))


def _name(pointer: str) -> str:
    """Return the name of a metadata file, which is the same wherever its folder was moved."""
    return pointer.rpartition("/")[2]


def _is_ours(table: FoundTable, project: str, own: str | None) -> bool:
    """Return whether a table belongs to a project, also under an earlier name: others have rows in other catalogs."""
    return table.mark is not None and (table.mark.project == project or table.mark.store == own)


def _is_lost(table: FoundTable, config: Config, *, own: str | None) -> bool:
    """Say whether a table without a row shows that the catalog was lost; a stage of our own may not be published."""
    return table.mark is not None and table.mark.project == config.project and table.mark.store != own


def _common_folder(found: Iterable[FoundTable]) -> str | None:
    """Return the warehouse that tables say they are in."""
    marked = (item for item in found if item.mark is not None)
    return next((_above(item.table, item.location) for item in marked), None)


def _folder_of(pointers: dict[TableName, str]) -> str | None:
    """Return the warehouse of a state that did not record it: where its tables are, if that is one folder."""
    folders = {_above(table, pointer.rpartition("/metadata/")[0]) for table, pointer in pointers.items()}
    return folders.pop() if len(folders) == 1 else None


def _above(table: TableName, location: str) -> str:
    return str(local_path(location).parents[table.count(".")])


def _is_same(recorded: str, here: str) -> bool:
    """Return whether two paths are the same folder, also through links."""
    return recorded == here or os.path.realpath(recorded) == os.path.realpath(here)
