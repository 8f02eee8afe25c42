"""Names of tables: each rule taken away by which a table is found under the name it has, and keeps its rows."""

from tests.simulation.mutants.mutant import Mutant

from lamina.api import custody
from lamina.compiler.graph import CompiledModel
from lamina.executor import naming as executor_naming
from lamina.executor import observe
from lamina.executor.naming import Places
from lamina.executor.runtime import Runtime
from lamina.planner import naming
from lamina.planner.naming import Place
from lamina.state import renamed as state_renamed
from lamina.state.port import StateView


def _by_target(runtime: Runtime, models: tuple[CompiledModel, ...], _view: StateView) -> Places:
    rows = runtime.warehouse.pointers()
    return Places(
        {model.name: Place(model.target, is_own=True) if model.target in rows else None for model in models}, {}
    )


NAMING = (
    Mutant(
        "new_name_is_a_new_table",
        "a table is a model's by its record or its mark, not by its name",
        observe,
        "places_of",
        _by_target,
    ),
    Mutant(
        "renamed_table_is_lost_with_the_state",
        "a table is found by its mark where no record names it",
        naming,
        "is_made_by",
        lambda *_, **__: False,
    ),
    Mutant(
        "table_of_an_earlier_name_comes_back",
        "of several tables of one model the latest is its table",
        custody,
        "replaced_homes",
        lambda *_, **__: set(),
    ),
    Mutant(
        "second_table_of_a_model_is_registered",
        "a model that has a table in the catalog misses none",
        custody,
        "without_replaced",
        lambda found, _known, **_: found,
    ),
    Mutant(
        "quarantine_stays_under_the_old_name",
        "a quarantine is called after its table",
        executor_naming,
        "find_quarantines",
        lambda *_, **__: {},
    ),
    Mutant(
        "renamed_model_is_a_new_model",
        "what is recorded under the old name of a model is known by the new one",
        observe,
        "pending_of",
        lambda *_, **__: {},
    ),
    Mutant(
        "readers_of_a_renamed_model_are_other_code",
        "a query that names its inputs otherwise is the same code",
        observe,
        "under_former_names",
        lambda coverage, _model: coverage,
    ),
    Mutant(
        "readers_have_not_read_what_was_renamed",
        "cursors and debts to an input stay when it gets another name",
        state_renamed,
        "coverage_now",
        lambda coverage, _names: coverage,
    ),
)
