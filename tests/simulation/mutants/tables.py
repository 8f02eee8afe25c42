"""How tables are published, and found again after a loss or a foreign write: each rule of it taken away."""

from typing import Any

from tests.simulation import memory_catalog
from tests.simulation.mutants.mutant import Mutant

from lamina.api import custody
from lamina.compiler.graph import CompiledModel
from lamina.executor import observe, run, step
from lamina.executor.run_state import RunState
from lamina.planner import heads, recover
from lamina.state import leases, store
from lamina.values.batch import Move
from lamina.values.touch import Nothing

# The originals, which some mutants still call.
_stand = recover.stand


def _move_from_anywhere(draft: memory_catalog.Pointers, move: Move) -> bool:
    return (move.target in draft) == (move.base is not None)


def _follow_any_move(writer: Any, now: Any, model: CompiledModel) -> None:
    now.moved(model, writer.runtime.warehouse.heads([model.target])[model.target], ())


def _open_what_cannot_be_read(head: Any, recorded: Any) -> Any:
    return _stand(head.replace(fault=None), recorded)


TABLES = (
    Mutant(
        "publish_without_base",
        "publish is conditional on the base",
        memory_catalog,
        "is_at_base",
        _move_from_anywhere,
    ),
    Mutant("publish_without_lease", "every write checks the lease", leases, "check", lambda *_: None),
    Mutant(
        "foreign_write_is_ignored",
        "an unmarked version leaves a debt",
        recover,
        "owe_itself",
        lambda _model, coverage, _version: coverage,
    ),
    Mutant(
        "foreign_move_is_followed", "only harmless moves are followed", step, "follow_harmless_move", _follow_any_move
    ),
    Mutant(
        "foreign_writes_are_built_upon",
        "a table that reads itself takes its other slices from before others wrote",
        step,
        "is_foreign",
        lambda _coverage: False,
    ),
    Mutant(
        "rollback_touches_nobody", "readers of a table that left its past are touched", recover, "Everything", Nothing
    ),
    Mutant("stages_are_left", "intents serve to clean stages", run, "clean_up", lambda _runtime: None),
    Mutant(
        "lost_catalog_is_empty",
        "no model is first built over a table that carries its mark",
        custody,
        "register_tables",
        lambda *_, **__: (),
    ),
    Mutant(
        "lost_row_is_no_table",
        "a table that was published and has no row is registered again, not built again",
        custody,
        "missing_tables",
        lambda *_, **__: {},
        net=(observe, "unregistered", lambda *_: None),
    ),
    Mutant(
        "table_dropped_just_now_is_built_again",
        "no model is first built over the files of a table that lost its row when the run began",
        observe,
        "unregistered",
        lambda *_: None,
    ),
    Mutant(
        "dropped_table_leaves_no_note",
        "what is left of a dropped table is no table",
        store,
        "write_dropped",
        lambda *_: None,
    ),
    Mutant(
        "older_catalog_keeps_dropped_tables",
        "a table that was dropped leaves a catalog that is older than the drop",
        custody,
        "forget_table",
        lambda *_: None,
    ),
    Mutant(
        "newest_file_is_the_head",
        "of finished stages the one with the highest token was published",
        heads,
        "age_of",
        lambda file: (0, file.updated),
    ),
    Mutant(
        "lost_files_are_forgotten",
        "files that were found to be lost are remembered until they are back",
        step,
        "lost_among",
        lambda *_: None,
    ),
    Mutant(
        "lost_files_are_read_again",
        "a full refresh does not read files that are lost",
        RunState,
        "is_base_lost",
        lambda *_: False,
    ),
    Mutant(
        "damaged_metadata_is_opened",
        "a table whose metadata cannot be read is a matter of its model alone",
        observe,
        "stand",
        _open_what_cannot_be_read,
    ),
)
