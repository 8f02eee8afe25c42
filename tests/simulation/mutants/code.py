"""Changes of code that go forward only: each rule of it taken away."""

from tests.simulation.mutants.mutant import Mutant

from lamina.compiler.graph import CompiledModel
from lamina.planner import staleness, unique_keys
from lamina.planner.segments import indebted
from lamina.planner.staleness import built_by_older_code
from lamina.values.coverage import Coverage
from lamina.values.interval import Interval, merge


def _older_slices_too(model: CompiledModel, coverage: Coverage) -> tuple[Interval, ...]:
    return merge((*indebted(coverage), *built_by_older_code(model, coverage)))


CODE = (
    Mutant(
        "older_slices_are_built_again",
        "code that goes forward only is no reason to build a slice again",
        staleness,
        "keeps_older_code",
        lambda _model: False,
    ),
    Mutant(
        "rows_of_older_code_do_not_count",
        "rows of older code that stay are looked at by `unique` checks",
        unique_keys,
        "stale_ranges",
        _older_slices_too,
    ),
)
