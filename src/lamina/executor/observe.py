"""Look once at state and tables: heads, moved tables corrected by their history, sources asked for changes."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from lamina.compiler.graph import CompiledModel, Graph
from lamina.executor.emptied import require_listed
from lamina.executor.naming import places_of
from lamina.executor.recompile import recompile
from lamina.executor.runtime import Runtime
from lamina.executor.stale_inputs import judge_of, stale_tables
from lamina.planner.naming import Place
from lamina.planner.recompiled import as_called_now
from lamina.planner.recover import (
    Found,
    Identity,
    Recorded,
    Recovery,
    accepted_stores,
    as_it_stands,
    owner_of,
    recover,
    stand,
)
from lamina.planner.renamed_models import names_of, under_former_names
from lamina.planner.time_position import time_column
from lamina.planner.touches import diff_questions, one_touch
from lamina.planner.views import is_ours, view_facts
from lamina.project.source import SourceTable
from lamina.state.port import ModelRecord, PromotedModel, StateView
from lamina.state.renamed import pending_of, view_now
from lamina.values.coverage import Coverage, Mark
from lamina.values.diagnostic import Diagnostic
from lamina.values.facts import CatalogView, Facts, Head, ModelFacts, TargetFacts, ViewFacts
from lamina.values.names import ColumnName, ModelName, Position, TableName
from lamina.values.result import Detection
from lamina.values.touch import Touch
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.port import NO_PINS, History, Pins
from lamina.warehouse.sources.kinds import detector_of

Logs = dict[TableName, tuple[Touch, ...]]

_MOST_NAMED = 100  # files or versions of a source that a run names

# What is wrong with one source alone; anything else ends the command.
_OF_THE_SOURCE = ("not_found", "connection_failed", "auth_failed", "data_rejected")


@dataclass(frozen=True)
class Observed:
    """What a run saw, and what of it state does not know yet; nothing is written by looking."""

    facts: Facts
    records: dict[ModelName, ModelRecord]
    new_touches: tuple[Touch, ...]
    recovered: tuple[ModelName, ...]  # models whose record their table corrected
    detections: tuple[Detection, ...]
    highest_token: int  # in the marks of moved tables
    unreadable: dict[TableName, WarehouseFailure] = field(default_factory=dict)  # sources, each with what is wrong
    taken_over: str | None = None  # identity of a lost store, whose marks an empty state goes on from
    promoted: dict[ModelName, PromotedModel] = field(default_factory=dict)
    recompiled: tuple[CompiledModel, ...] = ()  # promoted models of another compiler, as ours reads them
    renaming: dict[ModelName, ModelName] = field(default_factory=dict)  # names that the state has yet to replace

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with sources, in the order of their names."""
        return tuple(self.unreadable[name].diagnostic() for name in sorted(self.unreadable))


@dataclass(frozen=True)
class SeenSource:
    """A source that could be read: where it is, and what changed in it since it was last folded."""

    head: Head
    touches: tuple[Touch, ...]
    detection: Detection


def look(
    runtime: Runtime,
    graph: Graph,
    *,
    sources: tuple[SourceTable, ...],
    execution_time: datetime,
    pins: Pins = NO_PINS,
    is_empty_accepted: bool = False,
) -> Observed:
    """Return state and tables as they are now; only `sources` are asked, pinned ones for what they were.

    A source that held files and lists none counts as unreadable, unless its being empty is accepted.
    """
    view = runtime.store.view(runtime.environment)
    renaming = pending_of(view, names_of(graph))
    view, models = view_now(view, renaming), managed_models(graph)
    defined = tuple(model for model in graph.models if model.is_view)
    found_places = places_of(runtime, models, view)
    places = found_places.tables
    heads = heads_of(runtime, models, places)
    instead = runtime.warehouse.heads([model.target for model in defined])  # tables in the places of views
    free = [model.target for model in models if heads[model.name].pointer is None]
    views = runtime.warehouse.views([*free, *(name for name, head in instead.items() if head.pointer is None)])
    recompiled = recompile(runtime, view, graph)
    own = {name for name, place in places.items() if place is not None and place.is_own}
    recoveries, marks = _recover(runtime, models, view=view, heads=heads, own=own)
    for model in models:
        recoveries[model.name] = _behind_view(runtime, recoveries[model.name], views.get(model.target))
    for model in models:
        recoveries[model.name] = _renamed(recoveries[model.name], model, view, recompiled=recompiled.get(model.name))
    records = {name: _record(name, recovery.recorded) for name, recovery in recoveries.items()}
    last = {TableName(source.name): _last_position(source, view, records) for source in sources}
    consumed = {} if is_empty_accepted else {name: _consumed(name, last[name], records) for name in last}
    coverages: dict[str, Coverage] = {name: record.coverage for name, record in records.items()}
    seen, unreadable = look_at_sources(
        runtime, graph, sources, pins=_ahead(pins, view), last=last, consumed=consumed, coverages=coverages
    )
    source_touches = [touch for source in seen for touch in source.touches]
    table_touches = [touch for name in sorted(recoveries) for touch in recoveries[name].touches]
    new_touches, logs = extend_logs(view.touches, (*source_touches, *table_touches))
    found = {
        **_heads_looked_up(runtime, graph, models),
        **{TableName(model.name): heads[model.name] for model in models},
        **{source.head.table: source.head for source in seen},
    }
    former = {now: before for before, now in renaming.items()}
    facts = Facts(
        execution_time=execution_time,
        heads=found,
        models={
            model.name: model_facts(model, recoveries[model.name], view=view, unreadable=unreadable).replace(
                columns=tuple(column.name for column in heads[model.name].columns),
                looked_up=looked_up_of(model, found),
                called=None if heads[model.name].table == model.target else heads[model.name].table,
                quarantine_called=found_places.quarantines.get(model.name),
                renamed_from=former.get(model.name),
            )
            for model in models
        },
        touches=logs,
        stale=stale_tables(judge_of(runtime, graph, execution_time), found),
        views={model.name: _view_facts(runtime, instead[model.target], views.get(model.target)) for model in defined},
    )
    return Observed(
        facts=facts,
        records=records,
        new_touches=new_touches,
        recovered=tuple(name for name, record in sorted(records.items()) if record != _known(view, name)),
        detections=tuple(source.detection for source in sorted(seen, key=lambda source: source.head.table)),
        highest_token=max((mark.token for mark in marks), default=0),
        unreadable=unreadable,
        taken_over=_taken_over(runtime, view, marks),
        promoted=view.promoted,
        renaming=renaming,
        # Records of models that are not looked at keep the fingerprints that their promoted versions have.
        recompiled=tuple(model for name, model in recompiled.items() if name in recoveries or name not in view.models),
    )


def with_moved(observed: Observed, pointers: Mapping[ModelName, str]) -> Observed:
    """Return what was seen, with tables whose metadata was written again since, in the same versions."""
    if not pointers:
        return observed
    heads = {
        name: head.replace(pointer=pointers.get(ModelName(name), head.pointer))
        for name, head in observed.facts.heads.items()
    }
    records = {
        name: record.replace(pointer=pointers.get(name, record.pointer)) for name, record in observed.records.items()
    }
    return replace(observed, facts=observed.facts.replace(heads=heads), records=records)


def _renamed(
    recovery: Recovery, model: CompiledModel, view: StateView, *, recompiled: CompiledModel | None
) -> Recovery:
    before = recovery.recorded.coverage
    coverage = as_called_now(before, model, view.promoted.get(model.name), recompiled=recompiled)
    coverage = under_former_names(coverage, model)
    return recovery if coverage == before else recovery.replace(recorded=recovery.recorded.replace(coverage=coverage))


def _behind_view(runtime: Runtime, recovery: Recovery, view: CatalogView | None) -> Recovery:
    """Return a table that is not there as one that may not be written, where a view of another owner has its name."""
    if view is None or recovery.target.status != "absent" or is_own_view(runtime, view):
        return recovery
    return recovery.replace(target=TargetFacts(status="unmarked", detail="the view"))


def is_own_view(runtime: Runtime, view: CatalogView) -> bool:
    """Return whether this project defined a view."""
    store = runtime.store
    return any(
        is_ours(view, project=name, store=store.identity, environment=runtime.environment)
        for name in (runtime.project, *store.former_projects)
    )


def _view_facts(runtime: Runtime, table: Head, view: CatalogView | None) -> ViewFacts:
    return view_facts(table, view, is_own=view is not None and is_own_view(runtime, view))


def managed_models(graph: Graph) -> tuple[CompiledModel, ...]:
    """Return the models that have a table."""
    return tuple(model for model in graph.models if not model.is_ephemeral)


def sources_of(graph: Graph, models: Iterable[CompiledModel]) -> tuple[SourceTable, ...]:
    """Return the sources that models read."""
    names = {use.name for model in models for use in model.inputs if not use.is_model}
    return tuple(source for source in graph.sources if TableName(source.name) in names)


def looked_up_of(model: CompiledModel, heads: Mapping[TableName, Head]) -> dict[TableName, Position | None]:
    """Return the versions of the tables that the checks of a model look values up in."""
    return {name: heads[name].position if name in heads else None for name in model.others_looked_up}


def _heads_looked_up(runtime: Runtime, graph: Graph, models: Iterable[CompiledModel]) -> dict[TableName, Head]:
    """Return the heads of sources that only checks read; one that cannot be read is the check's failure."""
    named = {name for model in models for name in model.others_looked_up}
    heads: dict[TableName, Head] = {}
    for source in (item for item in graph.sources if TableName(item.name) in named):
        try:
            heads |= runtime.warehouse.source_heads((source,))
        except WarehouseFailure as error:
            if error.kind not in _OF_THE_SOURCE:
                raise
    return heads


def heads_of(
    runtime: Runtime, models: tuple[CompiledModel, ...], places: Mapping[ModelName, Place | None]
) -> dict[ModelName, Head]:
    """Return the heads of the models' tables, each by the name that it has now."""
    heads = runtime.warehouse.heads([place.table for place in places.values() if place is not None])
    none = {model.name: Head(table=model.target, pointer=None, position=None) for model in models}
    return none | {name: heads[place.table] for name, place in places.items() if place is not None}


def _recover(
    runtime: Runtime,
    models: tuple[CompiledModel, ...],
    *,
    view: StateView,
    heads: Mapping[ModelName, Head],
    own: Collection[ModelName],
) -> tuple[dict[ModelName, Recovery], tuple[Mark, ...]]:
    """Put every record right against its table, and return the marks found; only moved tables are looked into."""
    known = {model.name: recorded_of(view, model.name) for model in models}
    standing = {
        model.name: (_lost(runtime, model, heads[model.name].table, view=view) if model.name in own else None)
        or unregistered(runtime, model, heads[model.name], known[model.name])
        # Of a table that only has its name, nothing is recorded.
        or stand(heads[model.name], known[model.name] if model.name in own else None)
        for model in models
    }
    histories: dict[ModelName, History] = {
        model.name: runtime.warehouse.history(heads[model.name].table, _position(known[model.name]), model=model)
        for model in models
        if standing[model.name] is None
    }
    marks = tuple(item.mark for item in histories.values() if item.mark is not None)
    identity = Identity(
        projects=(runtime.project, *runtime.store.former_projects),
        environment=runtime.environment,
        stores=_accepted(runtime, view, marks),
    )
    recoveries: dict[ModelName, Recovery] = {}
    for model in models:
        recorded, target = known[model.name], standing[model.name]
        if target is not None:
            standing_record = as_it_stands(model, recorded, target=target)
            recoveries[model.name] = Recovery(recorded=standing_record, target=target)
            continue
        history = histories[model.name]
        found = Found(versions=history.versions, is_linked=history.is_linked, mark=history.mark)
        recoveries[model.name] = recover(model, heads[model.name], recorded=recorded, found=found, identity=identity)
    return recoveries, marks


def _lost(runtime: Runtime, model: CompiledModel, table: TableName, *, view: StateView) -> TargetFacts | None:
    """Look again for files that were lost when someone needed them; they may have been restored."""
    if not any(failure.model == model.name and failure.lost_file is not None for failure in view.failures):
        return None
    file = runtime.warehouse.lost_file(table)
    return None if file is None else TargetFacts(status="lost", detail=f"`{file}` cannot be read")


def unregistered(runtime: Runtime, model: CompiledModel, head: Head, recorded: Recorded | None) -> TargetFacts | None:
    """Look for the files of a table without a row in the catalog: nothing is built over them."""
    if head.pointer is not None:
        return None
    pointer = None if recorded is None else recorded.pointer
    mark = runtime.warehouse.left_mark(model.target, pointer)
    if mark is None:
        return None
    is_ours = mark.project == runtime.project or mark.store == runtime.store.identity
    if not is_ours:
        return TargetFacts(status="other_project", detail=owner_of(mark))
    # Without a record they are of a batch that was never published.
    detail = "it was dropped from the catalog, but its files still exist"
    return None if pointer is None else TargetFacts(status="unregistered", detail=detail)


def _accepted(runtime: Runtime, view: StateView, marks: tuple[Mark, ...]) -> tuple[str, ...]:
    own = runtime.store.identity
    return accepted_stores(marks, project=runtime.project, own=own, is_empty=not view.models)


def _taken_over(runtime: Runtime, view: StateView, marks: tuple[Mark, ...]) -> str | None:
    return next((item for item in _accepted(runtime, view, marks) if item != runtime.store.identity), None)


def source_changes(
    runtime: Runtime, graph: Graph, source: SourceTable, *, head: Head, since: Position | None
) -> tuple[Touch, ...]:
    """Ask a source for what changed since the position its readers were folded to."""
    name = TableName(source.name)
    if since is None or head.position is None or head.position == since:
        return ()
    return runtime.warehouse.changes(source, since, columns=filter_columns(graph, name), until=head.position)


def _ahead(pins: Pins, view: StateView) -> Pins:
    """Return the pins that no reader has gone past: what is folded is not read as it was before."""
    passed = {(name, touch.parent) for name, log in view.touches.items() for touch in log}
    return {name: pin for name, pin in pins.items() if (name, pin) not in passed}


def filter_columns(graph: Graph, table: TableName) -> tuple[ColumnName, ...]:
    """Return the columns of a table by which its readers cut it into slices, or know new rows."""
    uses = [(model, use) for model in graph.models for use in model.inputs if use.name == table]
    found = {use.filter_column for _, use in uses} | {time_column(model) for model, use in uses if use.is_driver}
    return tuple(sorted(column for column in found if column is not None))


def _last_position(source: SourceTable, view: StateView, records: Mapping[ModelName, ModelRecord]) -> Position | None:
    """Return where the log of a source ends; a lost log goes on from where the tables say they were."""
    name = TableName(source.name)
    if log := view.touches.get(name):
        return log[-1].position
    cursors = (record.coverage.cursor(name) for record in records.values())
    return next((cursor.position for cursor in cursors if cursor is not None), None)


def _consumed(name: TableName, last: Position | None, records: Mapping[ModelName, ModelRecord]) -> frozenset[Position]:
    """Return how far the readers of a source have come, and its log: an older state may know less than a table."""
    cursors = (record.coverage.cursor(name) for record in records.values())
    positions = {cursor.position for cursor in cursors if cursor is not None}
    return frozenset(positions if last is None else {*positions, last})


def extend_logs(
    logs: Mapping[TableName, tuple[Touch, ...]], touches: tuple[Touch, ...]
) -> tuple[tuple[Touch, ...], Logs]:
    """Number new touches as their logs go on, and return them with the logs they make."""
    extended, numbered = dict(logs), []
    for touch in touches:
        log = extended.get(touch.table, ())
        placed = touch.replace(sequence=(log[-1].sequence if log else 0) + 1)
        numbered.append(placed)
        extended[touch.table] = (*log, placed)
    return tuple(numbered), extended


def look_at_sources(
    runtime: Runtime,
    graph: Graph,
    sources: tuple[SourceTable, ...],
    *,
    pins: Pins,
    last: Mapping[TableName, Position | None],
    consumed: Mapping[TableName, frozenset[Position]],
    coverages: dict[str, Coverage],
) -> tuple[list[SeenSource], dict[TableName, WarehouseFailure]]:
    """Look at each source, and return what is wrong with those that cannot be read: it blocks their readers only."""
    seen: list[SeenSource] = []
    unreadable: dict[TableName, WarehouseFailure] = {}
    for source in sources:
        name = TableName(source.name)
        try:
            found = look_at_source(runtime, graph, source, pins=pins, since=last[name], coverages=coverages)
            require_listed(runtime, source, found.head, consumed=consumed.get(name, ()))
            seen.append(found)
        except WarehouseFailure as error:
            if error.kind not in _OF_THE_SOURCE:
                raise
            unreadable[name] = error
    return seen, unreadable


def look_at_source(
    runtime: Runtime,
    graph: Graph,
    source: SourceTable,
    *,
    pins: Pins,
    since: Position | None,
    coverages: dict[str, Coverage],
) -> SeenSource:
    """Return the head of one source and what changed in it, or why it cannot be read."""
    head = runtime.warehouse.source_heads((source,), pins)[TableName(source.name)]
    seen = SeenSource(
        head=head,
        touches=source_changes(runtime, graph, source, head=head, since=since),
        detection=_detection(runtime, source, head=head, since=since),
    )
    return compared(runtime, graph, source, seen, coverages=coverages) if source.is_compared else seen


def compared(
    runtime: Runtime, graph: Graph, source: SourceTable, seen: SeenSource, *, coverages: dict[str, Coverage]
) -> SeenSource:
    """Return what changed in a source with what its rows prove: readers of equal columns are spared."""
    if not seen.touches:
        return seen
    touch, readers = one_touch(seen.touches), managed_models(graph)
    if touch.parent is None:
        return seen
    found = runtime.warehouse.compare_source(
        source,
        touch.parent,
        until=touch.position,
        extent=touch.extent,
        questions=diff_questions(touch.table, readers, coverages=coverages),
    )
    # Rows that only came are named by their number.
    note = () if touch.is_append else (touch.detail, found.note)
    refined = touch.replace(refinements=found.refinements, detail=", ".join(filter(None, note)) or touch.detail)
    detection = seen.detection if found.detection is None else found.detection.capped(_MOST_NAMED)
    return SeenSource(head=seen.head, touches=(refined,), detection=detection)


def model_facts(
    model: CompiledModel, recovery: Recovery, *, view: StateView, unreadable: Mapping[TableName, WarehouseFailure]
) -> ModelFacts:
    """Return what is known of a model: its record, its table, and why an input cannot be read."""
    causes = (unreadable[use.name] for use in model.inputs if use.name in unreadable)
    return ModelFacts(
        coverage=recovery.recorded.coverage,
        target=recovery.target,
        failures=tuple(failure for failure in view.failures if failure.model == model.name),
        requests=view.requests.get(model.name, ()),
        unreadable=next((f"{error.code}: {error.message}" for error in causes), ""),
    )


def _known(view: StateView, name: ModelName) -> ModelRecord:
    empty = ModelRecord(model=name, pointer=None, position=None, coverage=Coverage())
    return view.models.get(name, empty)


def recorded_of(view: StateView, name: ModelName) -> Recorded | None:
    """Return what state holds of a model's table."""
    record = view.models.get(name)
    if record is None:
        return None
    return Recorded(pointer=record.pointer, position=record.position, coverage=record.coverage)


def _record(name: ModelName, recorded: Recorded) -> ModelRecord:
    return ModelRecord(model=name, pointer=recorded.pointer, position=recorded.position, coverage=recorded.coverage)


def _position(recorded: Recorded | None) -> Position | None:
    return recorded.position if recorded is not None else None


def _detection(runtime: Runtime, source: SourceTable, *, head: Head, since: Position | None) -> Detection:
    """Return what a source's detector saw; a source that did not move is not looked into."""
    if head.position is None or head.position == since:
        return Detection(input=source.name, detector=detector_of(source), unchanged=head.files or 0)
    seen = runtime.warehouse.detection(source, since, until=head.position).capped(_MOST_NAMED)
    return seen.replace(detector=detector_of(source))
