"""Where the tables of models are, and which of them get another name: an `alias` or a `schema` was changed.

Nothing but the catalog names a table: records, logs, cursors and pins name the model, and a mark does too. A table is
found by its recorded pointer or by its mark, so that a lost or an older state finds it under whatever name it has.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lamina.compiler.graph import CompiledModel, Graph
from lamina.planner.recover import Identity, is_made_by
from lamina.values.coverage import Mark
from lamina.values.facts import Facts, ModelFacts
from lamina.values.names import ModelName, TableName, is_quarantine, quarantine_of
from lamina.values.plan import Action, Build, Rename
from lamina.values.value import Value

Rows = Mapping[TableName, str]  # the catalog: where the metadata of each table is
HomeOf = Callable[[str], TableName]  # the folder that a pointer is in, which no other table is in
RENAMED = ("ours", "foreign_write", "lost")  # the states of a table that is known to be ours
MarkOf = Callable[[TableName], Mark | None]  # that a table carries; None: none that can be read


class Place(Value, frozen=True):
    """The table that a model is looked at under: its own by the name that it has now, or one that has its name."""

    table: TableName
    is_own: bool


@dataclass(frozen=True)
class Evidence:
    """What says which tables of the catalog are whose; a mark is read when it is asked for."""

    recorded: Mapping[ModelName, str | None]  # pointers
    rows: Rows
    mark_of: MarkOf
    home_of: HomeOf
    identity: Identity
    quarantines: Mapping[ModelName, str | None] = field(default_factory=dict)  # the commits that last wrote them


def find_places(models: tuple[CompiledModel, ...], evidence: Evidence) -> dict[ModelName, Place | None]:
    """Return the table of each model by its present name; None: it has none, and its own name is free or becomes so.

    A table whose new name belongs to another one stays where it is, and its model is looked at under the new name.
    """
    found = {model.name: find_place(model, evidence) for model in models}
    rows, moving = evidence.rows, {model.name for model in models if found[model.name] not in (None, model.target)}
    targets = {model.name: model.target for model in models}
    while stuck := {name for name in moving if is_taken(targets[name], rows, {found[item] for item in moving})}:
        moving -= stuck
    leaving = {found[name] for name in moving}
    places: dict[ModelName, Place | None] = {}
    for name, target in targets.items():
        own = found[name]
        if own is not None and (own == target or name in moving):
            places[name] = Place(own, is_own=True)
        else:
            places[name] = Place(target, is_own=False) if is_taken(target, rows, leaving) else None
    return places


def find_place(model: CompiledModel, evidence: Evidence) -> TableName | None:
    """Return the name that a model's table has now; None where no table is known to be the model's.

    Where the metadata of a table cannot be read, its folder says that it is the one that is recorded.
    """
    rows, recorded = evidence.rows, evidence.recorded.get(model.name)

    def is_own(table: TableName) -> bool:
        mark = evidence.mark_of(table)
        return mark is not None and is_made_by(mark, model.name, identity=evidence.identity)

    pointer = rows.get(model.target)
    if pointer is not None and (pointer == recorded or is_own(model.target)):
        return model.target
    known = next((table for table, there in sorted(rows.items()) if there == recorded), None)
    own = (table for table in sorted(rows) if known is None and not is_quarantine(table) and is_own(table))
    # What is left of a table that was lost before its model was renamed is older than the one built in its place.
    marked = known or max(own, key=lambda table: _token(evidence.mark_of(table)), default=None)
    if marked is not None or recorded is None:
        return marked
    home = evidence.home_of(recorded)
    left = (table for table, there in sorted(rows.items()) if evidence.home_of(there) == home)
    return next((table for table in left if evidence.mark_of(table) is None), None)


def _token(mark: Mark | None) -> int:
    return -1 if mark is None else mark.token


def find_quarantines(
    models: tuple[CompiledModel, ...], evidence: Evidence, places: Mapping[ModelName, Place | None]
) -> dict[ModelName, TableName]:
    """Return the quarantines that are not called after their tables, or will not be when those are renamed.

    A quarantine carries the mark of its table's model; of several, the one whose folder is called after the table's.
    """
    rows, by_target = evidence.rows, {quarantine_of(model.target): model for model in models}
    found: dict[ModelName, list[TableName]] = {}
    for table in sorted(filter(is_quarantine, rows)):
        model = by_target.get(table)
        if model is not None and _is_beside(table, model, evidence):
            continue
        mark = evidence.mark_of(table)
        if mark is not None and (_is_named(mark, evidence) or is_made_by(mark, mark.model, identity=evidence.identity)):
            found.setdefault(ModelName(mark.model), []).append(table)
    moving: dict[ModelName, TableName] = {}
    for model in models:
        place, there = places[model.name], found.get(model.name, [])
        if there and quarantine_of(model.target) not in there and (place is None or place.is_own):
            own = place and quarantine_of(evidence.home_of(rows[place.table]))
            moving[model.name] = min(there, key=lambda table: (evidence.home_of(rows[table]) != own, table))
    targets = {model.name: quarantine_of(model.target) for model in models}
    while stuck := {name for name in moving if is_taken(targets[name], rows, set(moving.values()))}:
        moving = {name: table for name, table in moving.items() if name not in stuck}
    return moving


def _is_named(mark: Mark, evidence: Evidence) -> bool:
    """Return whether the record of a model names the commit that wrote a quarantine, whichever state it had then."""
    return mark.commit == evidence.quarantines.get(ModelName(mark.model))


def _is_beside(table: TableName, model: CompiledModel, evidence: Evidence) -> bool:
    """Return whether a quarantine is beside the recorded table of a model, which has the name it is to have."""
    pointer = evidence.rows.get(model.target)
    is_recorded = pointer is not None and pointer == evidence.recorded.get(model.name)
    return is_recorded and evidence.home_of(evidence.rows[table]) == quarantine_of(evidence.home_of(str(pointer)))


def is_taken(table: TableName, rows: Rows, leaving: Iterable[TableName | None]) -> bool:
    """Return whether a name belongs to a table that keeps it."""
    return table in rows and table not in leaving


def possible_renames(renames: tuple[Rename, ...], rows: Rows) -> tuple[Rename, ...]:
    """Return the renames of tables that are there, to names that are free or become so."""
    there = [item for item in renames if item.before in rows]
    while stuck := [item for item in there if is_taken(item.after, rows, {other.before for other in there})]:
        there = [item for item in there if item not in stuck]
    return tuple(there)


def renames_of(models: Iterable[CompiledModel], known: Mapping[ModelName, ModelFacts]) -> tuple[Rename, ...]:
    """Return what gives tables the names that their models have for them now; a quarantine moves with its table."""
    found = ((model, known[model.name]) for model in models if model.name in known)
    return tuple(rename for model, facts in found for rename in _renames(model, facts))


def _renames(model: CompiledModel, facts: ModelFacts) -> Iterator[Rename]:
    table, beside, former = facts.called, facts.quarantine_called, facts.renamed_from
    if facts.target.status in RENAMED and (table is not None or former is not None):
        said = f"its table is called `{table}`, and its model now says `{model.target}`"
        said = said if former is None else f"renamed from `{former}`"
        reason = f"{said}; nothing is rebuilt"
        before = table or model.target
        yield Rename(model=model.name, before=before, after=model.target, reason=reason, renamed_from=former)
    if beside is not None:
        reason = f"its quarantine `{beside}` is called after its table"
        yield Rename(model=model.name, before=beside, after=quarantine_of(model.target), reason=reason)


def without_former_table(graph: Graph, facts: Facts, actions: Iterable[Action]) -> Iterator[Action]:
    """Say of first builds that `renamed_from` names a model without a table, which may be misspelled."""
    for action in actions:
        before = graph.model(action.model).settings.renamed_from
        known = facts.models.get(action.model)
        is_first = known is not None and known.target.status == "absent" and not known.coverage.segments
        if before is not None and is_first and isinstance(action, Build):
            note = f"no table of `{before}` is known, so none is renamed"
            yield action.replace(reason=f"{action.reason}; {note}")
        else:
            yield action
