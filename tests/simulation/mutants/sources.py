"""What is seen of sources and written in the log of changes: each rule of it taken away."""

from typing import Any
from unittest.mock import patch

from tests.simulation import differences, memory_reads, memory_sources, memory_warehouse
from tests.simulation.algebra import Relation
from tests.simulation.mutants.mutant import Mutant

from lamina.compiler.graph import CompiledModel
from lamina.executor import observe, publish
from lamina.planner import decide
from lamina.state import logs
from lamina.values.names import TableName
from lamina.values.touch import Everything, Nothing, Touch

# The originals, which some mutants still call.
_changed_units = differences.changed_units
_refine = differences.refine
_model_facts = observe.model_facts
_read = memory_reads.MemoryReads.read_version
_touch = publish.touch_of


def _only_added_rows(added: Any, _removed: Any, column: str) -> Any:
    return _changed_units(added, added, column)


def _refine_by_new_rows(old: Relation, new: Relation, question: Any) -> Any:
    with patch.object(differences, "changed_units", _only_added_rows):
        return _refine(old, new, question)


def _read_head(reads: Any, name: Any, pin: Any, *, reader: Any) -> Any:
    source = reads._sources.get(name)
    if pin is None or source is None or pin.since is not None:
        return _read(reads, name, pin, reader=reader)
    head = memory_sources.MemorySources(reads._lake).head(source, None)
    return _read(reads, name, pin.replace(position=head.position), reader=reader)


def _touch_of_equal(batch_base: Any, staged: Any, diff: Any) -> Touch:
    made = _touch(batch_base, staged, diff)
    return made.replace(extent=Everything()) if isinstance(made.extent, Nothing) else made


def _let_one_source_end_the_run(
    runtime: Any, graph: Any, sources: Any, *, pins: Any, last: Any, consumed: Any, coverages: Any
) -> tuple[list[Any], dict[TableName, Any]]:
    around = {"pins": pins, "coverages": coverages}
    looks = (observe.look_at_source(runtime, graph, item, since=last[item.name], **around) for item in sources)
    return list(looks), {}


def _without_a_fault(model: CompiledModel, recovery: Any, *, view: Any, unreadable: Any) -> Any:
    return _model_facts(model, recovery, view=view, unreadable={})


SOURCES = (
    Mutant("pins_are_ignored", "every read is pinned", memory_reads.MemoryReads, "read_version", _read_head),
    Mutant(
        "removed_rows_are_not_touched",
        "what a file used to hold is touched too",
        differences,
        "changed_units",
        _only_added_rows,
    ),
    Mutant(
        "moved_row_touches_only_its_new_day",
        "a changed row of a whole table touches where it was and where it is",
        memory_warehouse,
        "refine",
        _refine_by_new_rows,
    ),
    Mutant(
        "compaction_is_a_touch",
        "compaction is no touch",
        memory_sources,
        "step_touch",
        lambda name, metadata, step, *, columns: Touch(name, step.position, None, extent=Everything()),
    ),
    Mutant("equal_result_is_a_touch", "an equal result touches no reader", publish, "touch_of", _touch_of_equal),
    Mutant(
        "touch_of_publish_is_not_logged",
        "a publish appends its touch",
        logs,
        "append",
        lambda _connection, _environment, touch: touch,
    ),
    Mutant(
        "one_source_ends_the_run",
        "a source that cannot be read blocks its readers only",
        observe,
        "look_at_sources",
        _let_one_source_end_the_run,
    ),
    Mutant(
        "unreadable_source_is_empty",
        "nothing is built from a source that cannot be read",
        observe,
        "model_facts",
        _without_a_fault,
    ),
    Mutant(
        "empty_listing_is_data",
        "a source that held files and lists none blocks its readers, until that is accepted",
        observe,
        "require_listed",
        lambda *_, **__: None,
    ),
    Mutant(
        "stale_sources_are_read",
        "nothing is built on a source that is stale, where its readers are to be held",
        decide,
        "hold_back",
        lambda _model, decided, _stale, _selection: decided,
    ),
    Mutant("sources_are_not_asked", "detectors make touches", observe, "source_changes", lambda *_, **__: ()),
)
